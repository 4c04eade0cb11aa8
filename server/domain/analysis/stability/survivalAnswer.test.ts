import { expect, it } from "vitest";
import type { Facts, Parts, StudyRun } from "../facts.ts";
import { survival } from "./survivalAnswer.ts";

const hour = 3_600_000;

/** A run of 100 iterations that took two hours and never collapsed. */
function makeRun(method: string, seed: number): StudyRun {
  const cellId = method === "GRPO" ? 1 : 2;
  const times = { startedAt: new Date(0), endedAt: new Date(2 * hour) };
  const named = { id: `${method}-${seed}`, sweepId: "s", cellId, seed };
  const cell = { id: cellId, sweepId: "s", sweepName: "S", method, label: "", environment: "sokoban", isStated: false };
  const seen = { status: "healthy", index: 0, iteration: 100, numSteps: 100, changes: [], keys: [] } as const;
  return {
    run: { ...named, status: "finished", reason: null, latestIteration: 100, addedAt: null, ...times },
    cell: { ...cell, iterations: 100 },
    detection: { ...seen, hindsight: null },
  };
}

it("answers from plain facts, without a database", () => {
  const runs = ["GRPO", "PPO"].flatMap((method) => [0, 1, 2].map((seed) => makeRun(method, seed)));
  const facts: Facts & Pick<Parts, "groups" | "settings" | "success" | "awaited"> = {
    sweeps: [],
    runs,
    cells: [],
    leftOut: null,
    nowMs: 0,
    isFormer: false,
    isUncorrected: false,
    isMerged: false,
    isOfStoredOrder: false,
    unclear: "counted",
    curvesOf: () => new Map(),
    readingsOf: () => new Map(),
    groups: new Map([[1, "GRPO"]]),
    settings: new Map(),
    success: new Map(runs.map(({ run }) => [run.id, 0.5])),
    awaited: new Set(["GRPO-0", "elsewhere"]),
  };
  const { groups, numAwaited, proved, longCsv } = survival.answer(facts, { by: "method", baseline: "unknown" });
  expect(groups).toMatchObject([{ group: "GRPO", numRuns: 3, numCollapsed: 0, hours: 6 }]);
  // Only counted runs are awaited, a cell without a group is not compared, and an unknown baseline is replaced.
  expect({ numAwaited, proved }).toEqual({ numAwaited: 1, proved: { by: "method", baseline: "GRPO" } });
  expect(longCsv.trim().split("\r\n")).toHaveLength(4);
});
