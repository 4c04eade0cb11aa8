import { describe, expect, it } from "vitest";
import { chooseMetric, chooseSharedMetric, chooseMetrics } from "./openingMetric.ts";

describe("the metric that a page opens on", () => {
  it.each([
    [["rollout/successRate", "evaluation/successRate", "policy/entropy"], "evaluation/successRate"],
    [["policy/entropy", "rollout/successRate"], "rollout/successRate"],
    [["loss/policy", "rollout/returnMean"], "rollout/returnMean"],
    [["evaluation/score", "rollout/successRate"], "evaluation/score"],
    [["a/key", "loss/policy"], "loss/policy"],
    [["kl", "a/key"], "kl"],
    [["clone/loss"], "evaluation/successRate"],
    [[], "evaluation/successRate"],
  ])("of runs that logged %j is %s", (known, metric) => {
    expect(chooseMetric(known)).toBe(metric);
  });
});

describe("the charts that a page opens with", () => {
  const usual = ["evaluation/successRate", "rollout/successRate", "policy/entropy", "loss/policy"];

  it("leave out what runs that are over never logged", () => {
    expect(chooseMetrics(usual, ["rollout/successRate", "loss/policy"], true)).toEqual([
      "rollout/successRate",
      "loss/policy",
    ]);
    expect(chooseMetrics(usual, [], true)).toEqual(["evaluation/successRate"]);
  });

  it("wait for what runs that go on may log, behind what there is already", () => {
    expect(chooseMetrics(usual, ["rollout/returnMean"], false)).toEqual(["rollout/returnMean", ...usual]);
    expect(chooseMetrics(usual, [], false)).toEqual(usual);
    expect(chooseMetrics(usual, ["clone/loss"], false), "cloning comes before training").toEqual(usual);
  });
});

it("sums up runs of other trainers by the success metric that most of them have", () => {
  const choose = (counts: Record<string, number>) => chooseSharedMetric(new Map(Object.entries(counts)));
  expect(choose({ "evaluation/successRate": 1, "rollout/returnMean": 3, "loss/total": 3 })).toBe("rollout/returnMean");
  expect(choose({ "evaluation/successRate": 3, "rollout/returnMean": 3 })).toBe("evaluation/successRate");
  expect(choose({ "own/score": 2 })).toBe("own/score");
});
