import { describe, expect, it } from "vitest";
import type { RunStability } from "#server/domain/analysis/stability/overview.ts";
import { describeLead, summariseOverview } from "#server/domain/analysis/stability/summariseOverview.ts";
import { countByCell, joinEqual, prepareOverview } from "./OverviewView.tsx";

const run = (lead: number): RunStability => ({
  runId: `s-c0-s${lead}`,
  cellId: 0,
  seed: lead,
  isRepeat: false,
  status: "collapsed",
  alarm: { word: "collapsed", iteration: 80 - lead },
  hindsight: { word: "collapsed", iteration: 80, fall: null },
  index: 0,
  iteration: 100,
  changes: [],
  label: { kind: "collapseTerminal", tags: [], onsetStep: 60, collapseStep: 80 },
  lead,
  isDetected: true,
  missing: [{ name: "klOld", title: "KL old → new", needs: "KL to old policy" }],
});

it("counts collapses and alarms by configuration, the largest share of collapses first", () => {
  const healthy: RunStability = {
    ...run(9),
    cellId: 1,
    alarm: { word: "warning", iteration: 3 },
    hindsight: { word: "healthy", iteration: null, fall: null },
  };
  expect(countByCell([healthy, run(1), run(2)])).toEqual([
    { cellId: 0, count: { numJudged: 2, numCollapsed: 2, numUnclear: 0 }, numAlarms: 2, numRuns: 2 },
    { cellId: 1, count: { numJudged: 1, numCollapsed: 0, numUnclear: 0 }, numAlarms: 0, numRuns: 1 },
  ]);
});

it("joins configurations with equal counts into one row", () => {
  const healthy = (cellId: number): RunStability => ({
    ...run(1),
    cellId,
    alarm: { word: "none", iteration: null },
    hindsight: { word: "healthy", iteration: null, fall: null },
  });
  const joined = joinEqual(countByCell([healthy(1), run(1), healthy(2)]));
  expect(joined.map(({ cellIds, count }) => [cellIds, count.numCollapsed])).toEqual([
    [[0], 1],
    [[1, 2], 0],
  ]);
});

describe("prepareOverview", () => {
  it("says of a negative lead that the alarm came late", () => {
    expect([12, 1, 0, -3].map(describeLead)).toEqual([
      "12 iterations early",
      "1 iteration early",
      "at the collapse",
      "3 iterations late",
    ]);
    expect(summariseOverview([run(-5), run(-3), run(4)])).toContain(
      "for 3 of 3 collapsed runs, in the median 3 iterations late.",
    );
    const healthy: RunStability = {
      ...run(0),
      hindsight: { word: "healthy", iteration: null, fall: null },
      label: { kind: "healthy", tags: [] },
    };
    expect(summariseOverview([healthy, healthy, healthy])).toBe(
      "In hindsight 0 of 3 judged runs collapsed; 3 runs of a configuration cannot exclude a collapse rate up to 56 %.",
    );
    const unclear: RunStability = {
      ...healthy,
      hindsight: { word: "unclear", iteration: null, fall: null },
      label: { kind: "ambiguous", tags: [] },
    };
    expect(summariseOverview([unclear, unclear, unclear, { ...healthy, cellId: 1 }])).toBe(
      "In hindsight 0 of 4 judged runs collapsed, 3 unclear; 3 runs of a configuration cannot exclude a collapse rate up to 100 %.",
    );
  });

  it("lists the states that strips show, each once, whether a run is in it still or not", () => {
    const changes: RunStability["changes"] = [
      { iteration: 0, status: "warmup" },
      { iteration: 20, status: "warning" },
      { iteration: 30, status: "collapsed" },
    ];
    expect(prepareOverview([{ ...run(1), changes }, run(2)], "plan").inStrips).toEqual([
      "warmup",
      "warning",
      "collapsed",
    ]);
  });

  it("names rules without their metrics by their titles, with the number of runs", () => {
    const { missing } = prepareOverview([run(1), run(2)], "worst");
    expect(missing).toEqual([{ title: "KL old → new", needs: "KL to old policy", numRuns: 2 }]);
  });
});
