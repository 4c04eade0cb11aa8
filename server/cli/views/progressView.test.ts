import { describe, expect, test } from "vitest";
import type { RunRow } from "#server/db/runs/runs.ts";
import type { SweepSummary } from "#server/db/plan/sweeps.ts";
import { toChanges, toEvents, toProgress } from "./progressView.ts";
import type { Snapshot } from "../client/watch.ts";

const sweep: SweepSummary = {
  id: "s",
  name: "S",
  description: "",
  intent: "run",
  cancelledBy: null,
  cancelAt: null,
  importedAt: null,
  origin: "plan",
  createdAt: new Date(0),
  tags: [],
  isFavourite: false,
  isArchived: false,
  methods: ["GRPO", "SAMPO"],
  environments: ["sokoban"],
  numCells: 2,
  numRuns: 4,
  counts: { pending: 0, starting: 0, running: 0, unknown: 0, finished: 0, failed: 0, cancelled: 0 },
  iterationsDone: 0,
  numJudged: 0,
  numCollapsed: 0,
  numUnclear: 0,
  iterationsLeft: 0,
  busyMs: 0,
  startedAt: null,
  endedAt: null,
};
const cells = ["GRPO", "SAMPO"].map((method, index) => ({
  id: index,
  sweepId: "s",
  sweepName: "S",
  index,
  method,
  label: "",
  isStated: false,
  environment: "sokoban",
  iterations: 100,
}));

function snapshot(parts: readonly Partial<RunRow>[], isAttended = true): Snapshot {
  const runs = [0, 1, 2, 3].map((index): RunRow => ({
    id: `s-c${index >> 1}-s${index % 2}`,
    sweepId: "s",
    cellId: index >> 1,
    seed: index % 2,
    status: "pending",
    reason: null,
    text: null,
    latestIteration: 0,
    numAttempts: 0,
    startedAt: null,
    endedAt: null,
    addedAt: null,
    ...parts[index],
  }));
  return { sweep, cells, runs, alarms: new Map(), isAttended, numUntaught: 0 };
}

const size = { width: 80, height: 24, hasColour: false };

describe("toProgress", () => {
  test("draws a bar for the sweep and one per cell, by iterations", () => {
    const now = snapshot([
      { status: "running", latestIteration: 50 },
      { status: "finished", latestIteration: 100 },
    ]);
    expect(toProgress(now, size)).toEqual([
      `all runs ${"█".repeat(11)}▎${"·".repeat(18)}  37 %  2 pending, 1 running, 1 finished`,
      `GRPO     ${"█".repeat(22)}▌${"·".repeat(7)}  75 %  1 running, 1 finished`,
      `SAMPO    ${"·".repeat(30)}   0 %  2 pending`,
    ]);
  });

  test("never writes wider or higher than the terminal, and says what it leaves out", () => {
    const lines = toProgress(snapshot([{ status: "failed" }], false), { width: 30, height: 5, hasColour: false });
    expect(lines.every((line) => Array.from(line).length <= 30)).toBe(true);
    expect(lines.length).toBeLessThan(5);
    expect(lines).toContain("1 of 2 cells not shown");
  });
});

describe("toChanges", () => {
  test("says each change of status once, with its reason", () => {
    const first = snapshot([{ status: "running" }]);
    const next = snapshot([{ status: "failed", reason: "killed", text: "signal 9" }]);
    expect(toChanges(undefined, first)).toEqual(["s-c0-s0 running"]);
    expect(toChanges(first, first)).toEqual([]);
    expect(toChanges(first, next)).toEqual(["s-c0-s0 failed, Killed: signal 9", "1 of 4 runs ended"]);
  });

  test("says once that runs succeed at nothing, and again when more of them do", () => {
    const [none, one, all] = [0, 1, 4].map((numUntaught) => ({ ...snapshot([]), numUntaught }));
    if (!none || !one || !all) throw new Error("three snapshots");
    expect(toChanges(none, one)).toEqual([expect.stringMatching(/^1 of 4 runs had a success of 0 .* never learn$/)]);
    expect(toChanges(one, one)).toEqual([]);
    expect(toChanges(one, all)).toHaveLength(1);
    expect(toProgress(all, { ...size, width: 200 })).toContainEqual(expect.stringContaining("4 of 4 runs had"));
    expect(toProgress(none, size).join("\n")).not.toContain("success of 0");
  });

  test("says an alarm of the detector once, whatever the state of its run", () => {
    const calm = snapshot([{ status: "running", latestIteration: 29 }]);
    const warned: Snapshot = { ...calm, alarms: new Map([["s-c0-s0", { word: "warning", iteration: 20 }]]) };
    const alarmed: Snapshot = { ...calm, alarms: new Map([["s-c0-s0", { word: "unstable", iteration: 29 }]]) };
    expect(toChanges(calm, warned)).toEqual([]);
    expect(toChanges(warned, alarmed)).toEqual(["s-c0-s0: Unstable at 29"]);
    expect(toChanges(alarmed, alarmed)).toEqual([]);
    expect(toProgress(alarmed, size)).toContain("1 alarm: s-c0-s0: Unstable at 29");
    expect(toProgress(warned, size).join("\n")).not.toContain("alarm");
    expect(toEvents(calm, alarmed)).toEqual([
      expect.objectContaining({ run: "s-c0-s0", alarm: { word: "unstable", iteration: 29 } }),
    ]);
  });

  test("says once that nobody is there to start anything", () => {
    const alone = snapshot([], false);
    expect(toChanges(undefined, alone)).toHaveLength(1);
    expect(toChanges(alone, alone)).toEqual([]);
  });
});

test("a program hears of every run first, then of each that changed", () => {
  const before = snapshot([{ status: "running", latestIteration: 3 }]);
  expect(toEvents(undefined, before)).toHaveLength(4);
  const now = snapshot([{ status: "running", latestIteration: 4 }, { status: "starting" }]);
  expect(toEvents(before, now).map(({ run, status, iteration }) => [run, status, iteration])).toEqual([
    ["s-c0-s0", "running", 4],
    ["s-c0-s1", "starting", 0],
  ]);
  expect(toEvents(now, now)).toEqual([]);
});
