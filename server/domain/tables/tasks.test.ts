import { describe, expect, it } from "vitest";
import { expandPlan } from "#server/domain/sweep/expand.ts";
import { checkPlan } from "#server/domain/sweep/plan.ts";
import type { Curve } from "#server/domain/series/series.ts";
import { toMarkdown } from "./markdown.ts";
import { tasksTable, type TaskRun } from "./tasks.ts";

const { cells, runs } = expandPlan(
  checkPlan({ name: "a", methods: ["grpo", "sampo"], environments: [{ id: "sokoban" }], seeds: [0, 1] }),
);
const curve = (at: (i: number) => number): Curve => {
  const iterations = Int32Array.from({ length: 5 }, (_, i) => i * 4);
  return { iterations, values: Float64Array.from(iterations, at) };
};
const curves = runs.map(({ cellIndex, seed }): TaskRun => ({
  runId: `run-${cellIndex}-${seed}`,
  cellIndex,
  seed,
  status: "finished",
  ...curve((i) => (i === 0 ? 0.25 : 0.5 + 0.25 * cellIndex)),
  others: new Map([
    ["unseenTaskSuccess/heat", curve(() => 0.125)],
    ["taskSuccess/pick", curve(() => 0.5 + 0.1 * seed)],
    ["taskSuccess/heat", curve(() => 0.25)],
    ["evaluation/score", curve(() => 0.9)],
    ["loss/total", curve(() => 7)],
  ]),
}));

describe("tasksTable", () => {
  const table = tasksTable({ sweepName: "A", metric: "evaluation/successRate", cells, curves });

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
    expect(rows.find((row) => row.includes("SAMPO"))).toContain("55.0** ± 7.1");
    expect(rows.find((row) => row.includes("SAMPO"))).toContain("| **75.0** ± 0.0 |");
    expect(rows.find((row) => row.includes("GRPO"))).toContain("25.0 ± 0.0");
  });

  it("leaves out what no run logged", () => {
    const bare = tasksTable({
      sweepName: "A",
      metric: "evaluation/successRate",
      cells,
      curves: curves.map((run) => ({ ...run, others: new Map() })),
    });
    expect(bare.columns.map(({ header }) => header)).toEqual(["Method", "n", "Before RL", "Success rate"]);
  });
});
