import { expect, it } from "vitest";
import { groupMetrics } from "./groupMetrics.ts";

it("puts what is solved before why, and the catalogue's order within a group", () => {
  const groups = groupMetrics(["time/updateMs", "loss/policy", "loss/total", "evaluation/successRate"]);
  expect(groups.map(({ title, keys }) => [title, keys])).toEqual([
    ["Evaluation on held-out tasks", ["evaluation/successRate"]],
    ["Loss", ["loss/total", "loss/policy"]],
    ["Time", ["time/updateMs"]],
  ]);
});

it("keeps metrics that no catalogue knows, at the end and under their own names", () => {
  const groups = groupMetrics(["custom/x", "plain", "policy/entropy"]);
  expect(groups.map(({ title }) => title)).toEqual(["Policy", "custom", "other"]);
});
