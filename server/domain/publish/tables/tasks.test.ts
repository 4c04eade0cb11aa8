import { describe, expect, it } from "vitest";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import type { Curve } from "#packages/statistics";
import type { BuilderInput, BuilderRun } from "./builder/input.ts";
import { buildPreset } from "./builder/presets.ts";
import { toMarkdown } from "#packages/tables";
import { readCurve } from "#server/domain/runs/table/reading.ts";

const { cells, runs } = expandPlan(
  checkPlan({ name: "a", methods: ["grpo", "sampo"], environments: [{ id: "sokoban" }], seeds: [0, 1] }),
);
const curve = (at: (i: number) => number): Curve => {
  const iterations = Int32Array.from({ length: 5 }, (_, i) => i * 4);
  return { iterations, values: Float64Array.from(iterations, at) };
};
const metric = "evaluation/successRate";
const study = runs.map(({ cellIndex, seed }): BuilderRun => {
  const logged: [string, Curve][] = [
    [metric, curve((i) => (i === 0 ? 0.25 : 0.5 + 0.25 * cellIndex))],
    ["unseenTaskSuccess/heat", curve(() => 0.125)],
    ["taskSuccess/pick", curve(() => 0.5 + 0.1 * seed)],
    ["taskSuccess/heat", curve(() => 0.25)],
    ["evaluation/score", curve(() => 0.9)],
    ["loss/total", curve(() => 7)],
  ];
  return {
    runId: `run-${cellIndex}-${seed}`,
    cellIndex,
    seed,
    status: "finished",
    reason: "completed",
    iteration: 16,
    readings: new Map(logged.map(([key, one]) => [key, readCurve(one, { better: "up" })])),
  };
});
const tableOf = (shown: readonly BuilderRun[]) => {
  const sweeps = [{ id: "a", name: "A", planHash: "" }];
  const input: BuilderInput = { sweeps, cells: cells.map((cell) => ({ ...cell, sweepId: "a" })), runs: shown };
  return buildPreset("tasks", input, metric);
};

describe("the table of tasks", () => {
  const table = tableOf(study);

  it("has a column for every type of task, unseen kinds last, and for nothing else", () => {
    expect(table.columns.map(({ header }) => header)).toEqual([
      "Method",
      "n",
      "Before RL",
      "Success rate",
      "Score",
      "heat",
      "pick",
      "heat (unseen)",
    ]);
  });

  it("means over seeds what each logged in its final window", () => {
    const rows = toMarkdown(table)
      .split("\n")
      .filter((line) => line.startsWith("| "));
    expect(rows.find((row) => row.includes("SAMPO"))).toContain("55.0** |");
    expect(rows.find((row) => row.includes("SAMPO"))).toContain("| **75.0** |");
    expect(rows.find((row) => row.includes("GRPO"))).toContain("25.0 |");
  });

  it("leaves out what no run logged", () => {
    const bare = tableOf(study.map((run) => ({ ...run, readings: new Map([...run.readings].slice(0, 1)) })));
    expect(bare.columns.map(({ header }) => header)).toEqual(["Method", "n", "Before RL", "Success rate"]);
  });
});
