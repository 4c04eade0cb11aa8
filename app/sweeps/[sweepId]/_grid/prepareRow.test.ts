import { expect, it } from "vitest";
import type { CellRow, RunRow } from "#server/db/runs.ts";
import { prepareRow } from "./prepareRow.ts";

const cell: CellRow = {
  id: 1,
  isStated: false,
  sweepId: "s",
  sweepName: "Sweep",
  index: 0,
  method: "grpo",
  label: "",
  environment: "sokoban",
  iterations: 48,
};
const run = (seed: number, more: Partial<RunRow> = {}): RunRow => ({
  id: `r${seed}`,
  sweepId: "s",
  cellId: 1,
  seed,
  status: "finished",
  reason: "completed",
  text: null,
  latestIteration: 48,
  numAttempts: 1,
  startedAt: new Date(0),
  endedAt: new Date(60_000),
  addedAt: null,
  ...more,
});
const nothing = { standings: new Map(), collapsed: new Set<string>() };

it("puts the seeds in order and takes the mean of the times of runs that are over", () => {
  const running = run(0, { status: "running", reason: null, latestIteration: 12, endedAt: null });
  const row = prepareRow(cell, { runs: [run(2), running, run(1, { endedAt: new Date(120_000) })], ...nothing });
  expect(row.seeds.map(({ run: { seed }, share, isUnderWay }) => [seed, share, isUnderWay])).toEqual([
    [0, 0.25, true],
    [1, 1, false],
    [2, 1, false],
  ]);
  expect(row.meanMs).toBe(90_000);
});

it("marks a finished run that collapsed as collapsed, by the detector or in hindsight", () => {
  const row = prepareRow(cell, {
    runs: [run(0), run(1), run(2)],
    standings: new Map([
      ["r0", "collapsed"],
      ["r1", "warning"],
      ["r2", "healthy"],
    ] as const),
    collapsed: new Set(["r1"]),
  });
  expect(row.seeds.map(({ word, tone }) => [word, tone])).toEqual([
    ["Collapsed", "bad"],
    ["Collapsed", "bad"],
    ["Finished", "good"],
  ]);
  expect(row.seeds[0]?.label).toBe("Seed 0: Finished, iteration 48 of 48. Collapsed.");
});

it("says of a failed run why it failed, and offers it for another attempt", () => {
  const failed = run(0, { status: "failed", reason: "out_of_memory" });
  const row = prepareRow(cell, { runs: [failed], standings: new Map([["r0", "unstable"]]), collapsed: new Set() });
  expect(row.seeds[0]?.word).toMatch(/^Failed: /);
  expect(row.gone).toEqual([failed]);
});
