import { expect, it } from "vitest";
import { listDoubts } from "./doubts.ts";
import { expandPlan } from "./expand/expand.ts";
import { SweepPlan } from "./schema.ts";

const doubts = (plan: Record<string, unknown>) => {
  const usual = { name: "x", methods: ["grpo"], environments: [{ id: "sokoban" }], seeds: [0] };
  return listDoubts(expandPlan(SweepPlan.parse({ v: 1, ...usual, ...plan })).cells);
};

it("asks about a learning rate of 0, no iterations and a million of them", () => {
  expect(doubts({ base: { optimizer: { learningRate: 0 } } })).toEqual([
    "Every configuration has learning rate 0: the policy never changes.",
  ]);
  expect(doubts({ axes: { "optimizer.learningRate": [0, 1e-4] } })).toEqual([
    "1 of 2 configurations has learning rate 0: the policy never changes.",
  ]);
  expect(doubts({ base: { budget: { iterations: 0 } } })).toEqual([expect.stringContaining("0 iterations")]);
  expect(doubts({ base: { budget: { iterations: 1_000_000 } } })).toEqual([
    "A run trains for 1,000,000 iterations: training may take weeks.",
  ]);
});

it("asks nothing of a usual plan", () => {
  expect(doubts({})).toEqual([]);
});
