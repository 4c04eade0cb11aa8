import { describe, expect, it } from "vitest";
import { Sampling } from "#trainer/spec/dimensions.ts";
import { planSampling, zeroVarianceFraction } from "./sampling.ts";

const group = (name: string, ...rewards: number[]) => ({ name, rewards, successes: rewards.map((x) => x >= 10) });
const groups = [
  group("fails", 0, 0),
  group("mixed", 0, 10),
  group("solves", 10, 10),
  group("also mixed", 10, 0),
  group("close", 10, 11),
];

const select = (sampling: unknown, round = { isLastTry: true, deficit: 99 }, iteration = 1): string[] =>
  planSampling(Sampling.parse(sampling), { numGroups: 5, iteration })
    .select(groups, round)
    .map(({ name }) => name);

it("all groups are kept, informative or not", () => {
  expect(select({ kind: "all" })).toEqual(groups.map(({ name }) => name));
});

describe("dynamic sampling", () => {
  const dynamic = { kind: "dynamic", maxTries: 3, coldStartIterations: 2 };
  it.each([
    { isLastTry: false, deficit: 4, expected: ["mixed", "also mixed", "close"] },
    { isLastTry: false, deficit: 1, expected: ["mixed"] },
    { isLastTry: true, deficit: 4, expected: ["mixed", "also mixed", "close", "fails"] },
    { isLastTry: true, deficit: 5, expected: ["mixed", "also mixed", "close", "fails", "solves"] },
    { isLastTry: true, deficit: 0, expected: [] },
  ])("last try $isLastTry, $deficit wanted: $expected", ({ expected, ...round }) => {
    expect(select(dynamic, round, 3)).toEqual(expected);
  });

  it("keeps everything, in one try, up to the end of the cold start", () => {
    const plan = planSampling(Sampling.parse(dynamic), { numGroups: 5, iteration: 2 });
    expect([plan.maxTries, plan.select(groups, { isLastTry: true, deficit: 5 })]).toEqual([1, groups]);
    expect(planSampling(Sampling.parse(dynamic), { numGroups: 5, iteration: 3 }).maxTries).toBe(3);
  });

  it("counts a group of one episode as uniform", () => {
    const plan = planSampling(Sampling.parse(dynamic), { numGroups: 1, iteration: 3 });
    expect(plan.select([group("one", 1)], { isLastTry: false, deficit: 1 })).toEqual([]);
  });
});

describe("oversampling", () => {
  it("tries several times the tasks and never fills up with uniform groups", () => {
    const plan = planSampling(Sampling.parse({ kind: "oversample" }), { numGroups: 5, iteration: 1 });
    expect([plan.tasksPerTry, plan.maxTries]).toEqual([15, 10]);
    expect(select({ kind: "oversample" })).toEqual(["mixed", "also mixed"]);
    expect(select({ kind: "oversample" }, { isLastTry: false, deficit: 1 })).toEqual(["mixed"]);
  });

  it("sees differences of reward among successes only when told to", () => {
    expect(select({ kind: "oversample", signal: "reward" })).toEqual(["mixed", "also mixed", "close"]);
  });
});

describe("filters of one try", () => {
  it("drop groups whose rewards hardly differ", () => {
    expect(select({ kind: "minSpread" })).toEqual(["mixed", "also mixed", "close"]);
    expect(select({ kind: "minSpread", spread: 1 })).toEqual(["mixed", "also mixed"]);
  });

  it("keep the share that differs most, at least one, in the order given", () => {
    expect(select({ kind: "topSpread", share: 0.4 })).toEqual(["mixed", "also mixed"]);
    expect(select({ kind: "topSpread", share: 0.01 })).toEqual(["mixed"]);
  });

  it("keep the groups that hold the wanted share of the variance", () => {
    // The groups' variances are 50, 50 and 0.5, 100.5 in total.
    expect(select({ kind: "topVarianceMass", mass: 0.9 })).toEqual(["mixed", "also mixed"]);
    expect(select({ kind: "topVarianceMass", mass: 0.4 })).toEqual(["mixed"]);
    expect(select({ kind: "topVarianceMass", mass: 1 })).toEqual(["mixed", "also mixed", "close"]);
    expect(select({ kind: "topVarianceMass", mass: 1, minVariance: 1 })).toEqual(["mixed", "also mixed"]);
  });

  it.each([
    ["none", 1],
    ["linear", 0.25],
    ["sqrt", 0.5],
  ])("scale the loss by the share kept: %s", (lossScale, expected) => {
    const sampling = Sampling.parse({ kind: "topVarianceMass", lossScale });
    expect(planSampling(sampling, { numGroups: 4, iteration: 1 }).lossScale(1, 4)).toBe(expected);
  });

  it("may keep nothing", () => {
    const plan = planSampling(Sampling.parse({ kind: "minSpread" }), { numGroups: 1, iteration: 1 });
    expect(plan.select([group("fails", 0, 0)], { isLastTry: true, deficit: 1 })).toEqual([]);
  });
});

it("reports the share of groups without signal", () => {
  expect(zeroVarianceFraction(groups)).toBe(0.4);
  expect(zeroVarianceFraction([])).toBe(0);
});
