import { expect, it } from "vitest";
import { metricKeys } from "#trainer/spec/metric.ts";
import { findMetrics, groupMetrics } from "./groupMetrics.ts";

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

it("joins what is read together, and knows every group of the catalogue", () => {
  const groups = groupMetrics(metricKeys);
  expect(groups.find(({ name }) => name === "strata")?.keys).toHaveLength(24);
  expect(groups.filter(({ name, title }) => name === title)).toEqual([]);
  expect(groups.flatMap(({ keys }) => keys).toSorted()).toEqual([...metricKeys].toSorted());
});

it("finds metrics by words of key, title or meaning", () => {
  expect(findMetrics(metricKeys, "clip dual")).toEqual(["policy/clipFractionDual"]);
  expect(findMetrics(metricKeys, "kl turn 3")[0]).toBe("turnKl/3");
  expect(findMetrics(metricKeys, "held-out tasks solved")).toEqual(["evaluation/successRate"]);
  expect(findMetrics(metricKeys, "no such metric")).toEqual([]);
});
