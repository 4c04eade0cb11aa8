import { describe, expect, it } from "vitest";
import type { StudyColumn } from "./prepareStudy.ts";
import { rankConfigurations, summariseRanks } from "./ranks.ts";

const runs = [0, 0, 0, 1, 1, 1, 2, 2].map((cellId, i) => {
  const hindsight = cellId === 1 ? "collapsed" : "healthy";
  return { id: `r${i}`, sweepId: "s", cellId, method: "GRPO", label: `${cellId}`, seed: i, hindsight, startedMs: null };
});
const column = (key: string, values: StudyColumn["values"]): StudyColumn => ({
  key,
  title: key,
  field: { type: "number", group: "Metric" },
  scale: { kind: "numeric", isLog: false, isGrid: false, levels: [] },
  values,
});
const environment = column(
  "environment",
  runs.map(({ cellId }) => (cellId === 2 ? "WebShop" : "Sokoban")),
);

describe("configurations by rank", () => {
  it("stand environment by environment, the best first, with an interval from three runs on", () => {
    const outcome = column("final.evaluation/successRate", [0.1, 0.2, 0.3, 0.7, 0.8, 0.9, 0.5, null]);
    const [sokoban, webShop, ...more] = rankConfigurations({ runs, columns: [environment], outcome });
    expect(more).toEqual([]);
    expect(sokoban?.rows.map(({ label, rank, rankInterval, n }) => [label, rank, rankInterval, n])).toEqual([
      ["1", 1, { low: 1, high: 1 }, 3],
      ["0", 2, { low: 2, high: 2 }, 3],
    ]);
    // The half-width is t(0.975, 2) · 0.1 / √3; the upper bound is clipped at 1.
    expect(sokoban?.rows[0]?.interval).toEqual({ low: expect.closeTo(0.8 - 0.2484, 4), high: 1 });
    expect(summariseRanks(rankConfigurations({ runs, columns: [environment], outcome }), outcome)).toBe(
      "Sokoban: GRPO 1 ranks first of 2 with 80.0 [55, 100] %; no other could be first.",
    );
    expect(webShop?.rows).toMatchObject([{ n: 1, rank: 1, rankInterval: undefined, interval: undefined }]);
  });

  it("are the lowest first where less is better, and shares have Wilson's interval", () => {
    const collapsed = column(
      "collapsed",
      runs.map(({ hindsight }) => (hindsight === "collapsed" ? 1 : 0)),
    );
    const [all] = rankConfigurations({ runs, columns: [], outcome: collapsed });
    expect(all?.rows.map(({ label, rank }) => [label, rank])).toEqual([
      ["0", 1.5],
      ["2", 1.5],
      ["1", 3],
    ]);
    expect(summariseRanks(all ? [all] : [], collapsed)).toBe(
      "GRPO 0 and GRPO 2 tie for first of 3 with 0.0 %; there are too few runs to tell them from the others.",
    );
    const tied = all && { ...all, rows: all.rows.slice(0, 2) };
    expect(summariseRanks(tied ? [tied] : [], collapsed)).toBe("All 2 configurations tie with 0.0 %.");
    expect(all?.rows[2]).toMatchObject({
      collapsed: { numCollapsed: 3, numJudged: 3 },
      interval: { low: expect.closeTo(0.4385, 3), high: 1 },
    });
  });
});
