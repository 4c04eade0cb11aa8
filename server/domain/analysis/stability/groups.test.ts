import { expect, it } from "vitest";
import { titleOfGroup } from "./groups.ts";

it.each([
  ["GRPO · k 16", "configuration", "GRPO · lag 16"],
  ["GRPO", "configuration", "GRPO"],
  ["sokoban", "environment", "Sokoban"],
  ["seqMeanTokenMean", "aggregation", "Turn mean"],
  ["GRPO_ST", "method", "GRPO_ST"],
] as const)("calls the group %j by %s %j", (group, by, title) => {
  expect(titleOfGroup(group, by)).toBe(title);
});
