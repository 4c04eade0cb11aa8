import { expect, it } from "vitest";
import type { CellRow, RunRow } from "#server/db/runs/runs.ts";
import type { StabilityFacts } from "#packages/detector";
import { orderCells, prepareRow, sortLines, type Line } from "./prepareRow.ts";

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
const nothing = { facts: new Map<string, StabilityFacts>() };
const facts = (
  alarm: StabilityFacts["alarm"]["word"],
  hindsight: StabilityFacts["hindsight"]["word"],
): StabilityFacts => ({
  alarm: { word: alarm, iteration: alarm === "none" || alarm.startsWith("not") ? null : 29 },
  hindsight: { word: hindsight, iteration: hindsight.startsWith("collapsed") ? 36 : null, fall: null },
});

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

it("marks a finished run by what happened, and says beside it what the detector said", () => {
  const row = prepareRow(cell, {
    runs: [run(0), run(1), run(2), run(3)],
    facts: new Map([
      ["r0", facts("collapsed", "collapsed")],
      ["r1", facts("unstable", "healthy")],
      ["r2", facts("none", "collapsed")],
      ["r3", facts("none", "not judged")],
    ]),
  });
  expect(row.seeds.map(({ word, tone, alarm }) => [word, tone, alarm])).toEqual([
    ["Collapsed at 36", "bad", "Collapsed, first alarm at 29"],
    ["Healthy", "good", "Unstable at 29"],
    ["Collapsed at 36", "bad", ""],
    ["Not judged", "neutral", ""],
  ]);
  expect(row.seeds[1]?.label).toBe(
    "Seed 1: Finished, iteration 48 of 48. In hindsight: Healthy. Alarm: Unstable at 29.",
  );
});

it("puts no tick on a finished run while nobody knows what happened to it", () => {
  const row = prepareRow(cell, {
    runs: [run(0), run(1)],
    facts: new Map([["r1", facts("none", "not judged yet")]]),
  });
  expect(row.seeds.map(({ word, icon, tone }) => [word, icon, tone])).toEqual([
    ["Finished", "clock", "neutral"],
    ["Finished", "clock", "neutral"],
  ]);
});

it("marks a run under way by what the detector says, once it says something", () => {
  const running = { status: "running", reason: null, endedAt: null } as const;
  const row = prepareRow(cell, {
    runs: [run(0, running), run(1, running)],
    facts: new Map([
      ["r0", facts("unstable", "not judged yet")],
      ["r1", facts("not judged yet", "not judged yet")],
    ]),
  });
  expect(row.seeds.map(({ word, alarm }) => [word, alarm])).toEqual([
    ["Unstable at 29", ""],
    ["Running", ""],
  ]);
});

it("says of a failed run why it failed, and offers it for another attempt", () => {
  const failed = run(0, { status: "failed", reason: "out_of_memory" });
  const row = prepareRow(cell, { runs: [failed], facts: new Map([["r0", facts("unstable", "healthy")]]) });
  expect(row.seeds[0]?.word).toMatch(/^Failed: /);
  expect(row.gone).toEqual([failed]);
});

it("sorts by name, result, collapsed seeds, time or a setting; rows without a value come last", () => {
  const line = (name: string, rate: string, mean: number | undefined, hindsight: "healthy" | "collapsed"): Line => ({
    row: prepareRow(cell, { runs: [run(0)], facts: new Map([["r0", facts("none", hindsight)]]) }),
    name,
    title: name,
    settings: [rate],
    color: "",
    mark: undefined,
    figure: mean === undefined ? undefined : { figure: "", n: 1, mean },
  });
  const lines = [
    line("B", "3e-4", 0.5, "healthy"),
    line("A", "1e-3", undefined, "healthy"),
    line("C", "1e-4", 0.7, "collapsed"),
  ];
  const sorted = (by: string, isDescending = false) =>
    sortLines(lines, { by, isDescending }, { settings: ["learning rate"], better: "up" }).map(({ name }) => name);
  const unsorted = (better: "up" | "down" | "none") =>
    sortLines(lines, undefined, { settings: [], better }).map(({ name }) => name);
  expect(unsorted("none")).toEqual(["B", "A", "C"]);
  expect(unsorted("up"), "best first, without a value last").toEqual(["C", "B", "A"]);
  expect(unsorted("down")).toEqual(["B", "C", "A"]);
  expect(sorted("name")).toEqual(["A", "B", "C"]);
  expect(sorted("final", true)).toEqual(["C", "B", "A"]);
  expect(sorted("collapsed", true)[0]).toBe("C");
  expect(sorted("learning rate")).toEqual(["C", "B", "A"]);
});

it("orders all configurations of a sweep by result, whatever page they are on", () => {
  const cells = ["trial 0, lr 1e-4, KL 0", "trial 1, lr 3e-4, KL 1", "trial 2, lr 2e-4, KL 0"].map((label, id) => ({
    ...cell,
    id,
    label,
  }));
  const figures = [0.2, 0.9, 0.5].map((mean, cellId) => ({ cellId, mean }));
  const ordered = (sort: { by: string; isDescending: boolean } | undefined, better: "up" | "none") =>
    orderCells(cells, { runs: [], facts: new Map(), figures, sort, better }).map(({ id }) => id);
  expect(ordered(undefined, "up")).toEqual([1, 2, 0]);
  expect(ordered(undefined, "none")).toEqual([0, 1, 2]);
  expect(ordered({ by: "lr", isDescending: false }, "up")).toEqual([0, 2, 1]);
});
