import { describe, expect, it } from "vitest";
import { countEnds, tellEnds } from "./ends.ts";
import type { RunReason, RunStatus } from "./runStatus.ts";

const cells = [
  { id: 1, sweepId: "a" },
  { id: 2, sweepId: "a" },
];
const run = (cellId: number, seed: number, status: RunStatus = "finished", reason: RunReason | null = null) => {
  return { cellId, sweepId: "a", seed, status, reason };
};
const whole = [run(1, 0), run(1, 1), run(2, 0), run(2, 1)];
const count = (runs: ReturnType<typeof run>[], more = {}) =>
  countEnds({
    runs,
    chosen: runs,
    cells,
    numTakenBack: 0,
    discarded: [],
    filtered: [],
    droppedElsewhere: new Map(),
    numUnread: 0,
    ...more,
  });

describe("runs that did not end as planned", () => {
  it("are not mentioned if every run finished", () => {
    expect(count(whole)).toBeUndefined();
    expect(count(whole, { discarded: [0], filtered: [0] })).toBeUndefined();
  });

  it("are counted by reason, with missing, removed and open runs, and runs that dropped episodes", () => {
    const runs = [
      run(1, 0, "failed", "out_of_memory"),
      run(1, 1, "cancelled", "cancelled_by_user"),
      run(1, 2, "cancelled", "stopped_by_rule"),
      run(2, 0, "running"),
      run(2, 1),
    ];
    const ends = count(runs, {
      numTakenBack: 2,
      discarded: [0.1],
      filtered: [0.2, 0],
      droppedElsewhere: new Map([["response/aborted_ratio", [0, 0.1, 0.2]]]),
      numUnread: 2,
    });
    expect(ends && tellEnds(ends)).toBe(
      "Of 5 runs, 3 did not finish: out of memory 1, cancelled by user 1, stopped by rule 1. 1 has not ended. " +
        "1 run is missing: a configuration lacks a seed that others have. 2 added runs were removed again and do not count. " +
        "1 run discarded episodes for their age. 1 run did not train on all generated groups. 2 runs logged dropped or empty responses (response/aborted_ratio). 2 runs have log lines that were not understood.",
    );
  });

  it("are missing only among all runs: a run that the table leaves out exists", () => {
    expect(count(whole.slice(1), { chosen: whole })).toBeUndefined();
  });
});
