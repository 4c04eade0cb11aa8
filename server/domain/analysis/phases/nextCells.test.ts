import { expect, test } from "vitest";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { canPlan, type PlannedCell, planNext } from "./nextCells.ts";

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
  const next = planNext(plan, { method: "Wide", settings, numRuns: 3, isRun: false });
  expect(expandPlan(next).cells.map(({ method }) => method)).toEqual(["Wide"]);
  expect(next.seeds).toEqual([0, 1, 2]);
  expect(next.axes).toEqual({ "optimizer.learningRate": [3e-4], "update.minibatchRows": [64] });
});

test("a cell that was run gets seeds that no run had; without a method all of the plan's are run", () => {
  const next = planNext(plan, { settings, numRuns: 4, isRun: true });
  expect(next.seeds).toEqual([3, 4]);
  expect(expandPlan(next).cells).toHaveLength(2);
});

const wide = checkPlan({
  ...plan,
  environments: [{ id: "sokoban" }, { id: "webshop" }],
  axes: { ...plan.axes, "update.epochs": [1, 2] },
});
test.each<[PlannedCell, number[], number]>([
  [{ settings, numRuns: 24, isRun: false }, [0, 1, 2], 24],
  [{ settings, numRuns: 24, isRun: true }, [3, 4, 5], 24],
  [{ settings, numRuns: 5, isRun: true }, [3], 8],
  [{ method: "Wide", environment: "WebShop", settings, numRuns: 8, isRun: false }, [0, 1, 2, 3], 8],
  [{ environment: "WebShop", settings: { ...settings, "update.epochs": "2" }, numRuns: 2, isRun: true }, [3], 2],
])("its runs are spread over what else the plan varies: %j", (cell, seeds, numRuns) => {
  const next = planNext(wide, cell);
  expect(next.seeds).toEqual(seeds);
  expect(expandPlan(next).runs).toHaveLength(numRuns);
});

test("a method of the plan's grid is run alone", () => {
  const { methods: _, ...rest } = plan;
  const levels = [0.1, 0.4].map((high) => ({ kind: "token", low: 0.2, high, dual: null, sequenceMask: null }));
  const grid = checkPlan({ ...rest, grid: { clipping: levels } });
  const [, second] = expandPlan(grid)
    .cells.map(({ method }) => method)
    .filter((one, i, all) => all.indexOf(one) === i);
  const next = planNext(grid, { method: second, settings, numRuns: 3, isRun: false });
  expect(expandPlan(next)).toMatchObject({ cells: [{ method: second }], runs: { length: 3 } });
});

test("a number that the plan does not vary becomes an axis, a text does not", () => {
  expect(canPlan(plan, settings)).toBe(true);
  const other = { ...settings, "update.epochs": 2 };
  expect(canPlan(plan, other)).toBe(true);
  const { cells } = expandPlan(planNext(plan, { method: "Wide", settings: other, numRuns: 3, isRun: false }));
  expect(cells).toMatchObject([{ spec: { update: { epochs: 2, minibatchRows: 64 } } }]);
  expect(canPlan(plan, { "optimizer.kind": "adam" })).toBe(false);
  expect(canPlan(plan, { "environment.maxTurns": 9 })).toBe(false);
});
