import { expect, test } from "vitest";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { canPlan, planNext } from "./nextCells.ts";

const plan = checkPlan({
  name: "Grid",
  methods: [
    "grpo",
    { name: "Wide", from: "grpo", clipping: { kind: "token", low: 0.4, high: 0.4, dual: 3, sequenceMask: null } },
  ],
  environments: [{ id: "sokoban" }],
  axes: { "optimizer.learningRate": [1e-4, 1e-3], "update.minibatchRows": [64, 256] },
  seeds: [0, 1, 2],
});
const settings = { "optimizer.learningRate": 3e-4, "update.minibatchRows": 64 };

test("a new cell has the plan's seeds, and one method where one is meant", () => {
  const next = planNext(plan, { method: "Wide", settings });
  expect(expandPlan(next).cells.map(({ method }) => method)).toEqual(["Wide"]);
  expect(next.seeds).toEqual([0, 1, 2]);
  expect(next.axes).toEqual({ "optimizer.learningRate": [3e-4], "update.minibatchRows": [64] });
});

test("a cell that was run gets seeds that no run had; without a method all of the plan's are run", () => {
  const next = planNext(plan, { settings, newSeeds: 2 });
  expect(next.seeds).toEqual([3, 4]);
  expect(expandPlan(next).cells).toHaveLength(2);
});

test("only axes of the plan can be set", () => {
  expect(canPlan(plan, settings)).toBe(true);
  expect(canPlan(plan, { "update.epochs": 2 })).toBe(false);
});
