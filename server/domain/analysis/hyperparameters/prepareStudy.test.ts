import { expect, it } from "vitest";
import { hyperparameterField } from "#server/domain/runs/table/field.ts";
import { hasHyperparameter } from "./prepareStudy.ts";

const field = (key: string) => hyperparameterField(key, { isNumber: false });
const study = (keys: readonly string[], values: readonly string[][]) => ({
  parameters: keys.map(field),
  outcomes: [],
  runs: values.map((own, i) => ({ id: `${i}`, sweepId: "a", cellId: i, method: "", label: "", seed: 0, values: own })),
});

it.each([
  ["only the seed", [], [[], []], false],
  ["the method", ["method"], [["GRPO"], ["SAPO"]], false],
  [
    "the method, which determines the clipping",
    ["method", "method.clipping.kind"],
    [
      ["GRPO", "token"],
      ["GRPO", "token"],
      ["SAPO", "soft"],
      ["SAPO", "soft"],
    ],
    false,
  ],
  [
    "the clipping within a method",
    ["method", "method.clipping.high"],
    [
      ["GRPO", "wide"],
      ["GRPO", "narrow"],
      ["SAPO", "narrow"],
      ["SAPO", "narrow"],
    ],
    true,
  ],
  [
    "the learning rate, which each method has its own of",
    ["method", "optimizer.learningRate"],
    [
      ["GRPO", "high"],
      ["SAPO", "low"],
    ],
    true,
  ],
] as const)("tells if hyperparameters differ between runs that differ in %s", (_, keys, values, expected) => {
  expect(
    hasHyperparameter(
      study(
        keys,
        values.map((own) => [...own]),
      ),
    ),
  ).toBe(expected);
});
