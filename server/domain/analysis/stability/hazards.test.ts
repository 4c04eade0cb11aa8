import { expect, it } from "vitest";
import { reportHazards, type SampledRun, samplerCells, summariseHazards, toHazardsTable } from "./hazards.ts";

/** Makes ten runs per cell, of which the given number collapse one after another from iteration 10 on. */
function makeRuns(method: string, collapses: readonly number[], setting = "task"): SampledRun[] {
  return samplerCells.flatMap(({ isStale, isRounded }, cell) =>
    Array.from({ length: 10 }, (_, seed): SampledRun => {
      const isEvent = seed < (collapses[cell] ?? 0);
      const runId = `${method} ${setting} ${cell} ${seed}`;
      const duration = { time: isEvent ? 10 + 5 * seed : 80, isEvent };
      return { runId, method, setting, seed, isStale, isRounded, duration };
    }),
  );
}

it("finds staleness and precision that add up, and counts each cell's collapses", () => {
  const [group, ...others] = reportHazards(makeRuns("GRPO", [1, 8, 1, 8]));
  expect(others).toEqual([]);
  expect(group?.cells.map(({ numCollapsed, numRuns }) => `${numCollapsed}/${numRuns}`)).toEqual([
    "1/10",
    "8/10",
    "1/10",
    "8/10",
  ]);
  const [staleness, precision, both] = group?.terms ?? [];
  expect(staleness?.coefficient).toBeGreaterThan(1);
  expect(staleness?.interval.low).toBeGreaterThan(0);
  for (const term of [precision, both]) {
    expect(Math.abs(term?.coefficient ?? NaN)).toBeLessThan(0.1);
    expect(term?.interval.low).toBeLessThan(-1);
    expect(term?.p).toBeGreaterThan(0.9);
  }
});

it("says how little is known of an interaction where two cells have no collapse", () => {
  const [group] = reportHazards(makeRuns("GRPO", [0, 6, 0, 7]));
  const both = group?.terms?.[2];
  expect(both?.interval.low).toBeLessThan(-2);
  expect(both?.interval.high).toBeGreaterThan(2);
});

it("takes methods and settings whose four cells all have runs, each with a baseline hazard of its own", () => {
  const runs = [
    ...makeRuns("GRPO", [1, 5, 1, 6]),
    ...makeRuns("CISPO", [2, 9, 2, 8]),
    ...makeRuns("GSPO", [0, 0, 0, 0]),
    ...makeRuns("GRPO", [0, 9, 0, 9], "other task").filter(({ isStale }) => isStale),
  ];
  const table = toHazardsTable(reportHazards(runs));
  expect([...new Set(table.rows.map(({ heading }) => heading))]).toEqual([
    "3 methods, each with its own baseline. Collapsed: neither 3/30, stale 14/30, rounded 3/30, both 14/30",
    "GRPO. Collapsed: neither 1/10, stale 5/10, rounded 1/10, both 6/10",
    "CISPO. Collapsed: neither 2/10, stale 9/10, rounded 2/10, both 8/10",
  ]);
  expect(table.rows[0]?.runIds).toHaveLength(120);
});

it("names the shown effects in a sentence", () => {
  const say = (collapses: readonly number[]) => summariseHazards(reportHazards(makeRuns("GRPO", collapses)));
  expect(say([1, 8, 1, 8])).toMatch(
    /^Hazard ratio of collapse: staleness × 9\.1 \[2\.0, 86\]; no effect is shown for the rest\.$/,
  );
  expect(say([3, 3, 3, 3])).toBe(
    "No effect of staleness, precision or staleness × precision on the hazard of collapse is shown.",
  );
  expect(summariseHazards([])).toBe("");
});
