import { expect, it } from "vitest";
import type { Field } from "./field.ts";
import { formatField } from "./formatField.ts";

const field = (key: string, type: Field["type"] = "text", group: Field["group"] = "Run") => ({ key, type, group });

it.each([
  ["collapsed", field("hindsight"), "Collapsed"],
  ["out_of_memory", field("reason"), "Out of memory"],
  ["sokoban", field("environment"), "Sokoban"],
  ["lag.k 16", field("configuration"), "lag.k 16"],
  [90, field("duration", "duration"), "1 min 30 s"],
  [3e-4, field("optimizer.learningRate", "number", "Hyperparameter"), "3e-4"],
  [0.12345, field("final.rollout/successRate", "number", "Metric"), "12.3 %"],
  [1234, field("iteration", "number"), "1,234"],
  [null, field("environment"), ""],
])("words %j of %j as %j", (value, of, words) => {
  expect(formatField(value, of)).toBe(words);
});
