import { describe, expect, it } from "vitest";
import { AppError } from "#packages/base";
import { expandPlan, listConfigurations } from "../sweep/expand/expand.ts";
import { parsePlan, toYaml } from "../sweep/plan.ts";
import { describeSpent, endsSearch, sumUse } from "./searchPlan.ts";

const yaml = `
name: searched
methods: [grpo, sapo]
environments: [{ id: sokoban }]
seeds: [0, 1]
search:
  sampler: { kind: tpe, seed: 3 }
  space:
    optimizer.learningRate: { kind: logUniform, low: 0.0001, high: 0.01 }
    method.clipping.low: { kind: uniform, low: 0.1, high: 0.3 }
  objective: { metric: rollout/successRate, goal: maximize }
  trials: 40
  parallel: 3
`;

function problemsOf(text: string) {
  try {
    parsePlan(text);
  } catch (error) {
    if (error instanceof AppError) return error.issues.map(({ path, message }) => `${path}: ${message}`);
  }
  return [];
}

describe("a plan with a search", () => {
  it("is written and read back the same", () => {
    const plan = parsePlan(yaml);
    expect(parsePlan(toYaml(plan))).toEqual(plan);
  });

  it("expands to the first trials of each configuration, with every seed, whatever the order of its keys", () => {
    const plan = parsePlan(yaml);
    const { cells, runs, decisions = [] } = expandPlan(plan);
    expect(listConfigurations(plan)).toHaveLength(2);
    expect(decisions.map(({ arm, number, known, running }) => [arm, number, known, running])).toEqual(
      [0, 1].flatMap((arm) => [0, 1, 2].map((n) => [arm, n, [], [0, 1, 2].slice(0, n)])),
    );
    expect(cells).toHaveLength(6);
    expect(runs).toHaveLength(12);
    expect(new Set(cells.map(({ spec }) => spec.optimizer.learningRate)).size).toBe(3);
    const space = Object.fromEntries(Object.entries(plan.search?.space ?? {}).toReversed());
    const turned = parsePlan(toYaml({ ...plan, search: { ...plan.search, space } }));
    expect(expandPlan(turned).cells).toEqual(cells);
  });

  it.each([
    ["parallel: 3", "parallel: 50", "search.parallel: is 50, must be at most 40, the number of trials"],
    ["trials: 40", "trials: 0", "search.trials: is 0, must be at least 1"],
    [
      "rollout/successRate",
      "rollout/sucessRate",
      'search.objective.metric: unknown value "rollout/sucessRate"; did you mean',
    ],
    ["optimizer.learningRate", "optimizer.learnRate", 'search.space.optimizer.learnRate: "optimizer.learnRate" is no'],
    ["low: 0.0001", "low: -1", "search.space.optimizer.learningRate: must satisfy 0 < low < high"],
    ["search:", "axes: { optimizer.learningRate: [0.1] }\nsearch:", "learningRate: is an axis already"],
    [
      "search:",
      "exclude: [{ method: GRPO }]\nsearch:",
      "exclude: cannot be combined with a search: remove one of them",
    ],
    [
      "kind: tpe, seed: 3",
      "kind: grid",
      "search.space.method.clipping.low: is uniform, but a grid needs parameters of kind choice",
    ],
    [
      "low: 0.1, high: 0.3 }",
      "low: 0.25, high: 0.3 }\n  defaultsFirst: true",
      "search.space.method.clipping.low: covers 0.25 to 0.3, but GRPO's own value, which defaultsFirst tries first, is 0.2",
    ],
    [
      "{ metric: rollout/successRate, goal: maximize }",
      "{ metric: collapsed, goal: minimize }",
      "search.objective: needs a logged metric in addition to collapsed",
    ],
    [
      "{ metric: rollout/successRate, goal: maximize }",
      "[{ metric: rollout/successRate, goal: maximize }, { metric: collapsed, goal: maximize }]",
      "search.objective: would favour collapsed trials",
    ],
    [
      "{ metric: rollout/successRate, goal: maximize }",
      "[{ metric: rollout/successRate, goal: maximize }, { metric: collapsed, goal: minimize }]\n  racing: {}",
      "search.racing: needs a single objective, but there are several",
    ],
    ["trials: 40", "trials: 40\n  constraints: [{ metric: policy/entropy }]", "needs atLeast, atMost or both"],
    ["kind: tpe, seed: 3", "kind: external", "search.defaultsFirst: must be true with an external sampler"],
    [
      "trials: 40",
      "trials: 40\n  known: [{ point: { optimizer.learningRate: 0.5 }, values: 1 }]",
      "search.known[0].point.optimizer.learningRate: is 0.5, must be 0.0001 to 0.01",
    ],
    [
      "trials: 40",
      "trials: 40\n  known: [{ point: { optimizer.learningRate: 0.001, method.clipping.low: 0.2 }, values: [1, 2] }]",
      "search.known[0].values: has 2 values for 1 objective",
    ],
    ["trials: 40", "trials: 40\n  budget: { runs: 0 }", "search.budget.runs: is 0, must be at least 1"],
    ["trials: 40", "trials: 5000", "20,000 runs, limit is 10,000"],
  ])("with %s as %s is refused, naming field, value and limit", (from, to, message) => {
    expect(problemsOf(yaml)).toEqual([]);
    expect(problemsOf(yaml.replace(from, to))).toContainEqual(expect.stringContaining(message));
  });
});

const measured = (number: number, spread?: number) => ({
  number,
  outcome: { kind: "measured" as const, losses: [0], ...(spread !== undefined && { spread }) },
});

it("ends at the first trial that varies little enough, never at one that has no spread", () => {
  const search = { until: { spread: 0.02 } };
  expect(endsSearch(search, [measured(0), measured(1, 0.05)])).toBeUndefined();
  expect(endsSearch(search, [measured(0), measured(1, 0.05), measured(2, 0.0123456)])).toBe(
    "trial 2 varies by 0.0123 over its last fifth, at most 0.02 is asked",
  );
  expect(endsSearch({}, [measured(2, 0)])).toBeUndefined();
});

it("says which part of a budget is spent", () => {
  const used = sumUse([
    { runs: 3, iterations: 30, slotMs: 3_600_000 },
    { runs: 1, iterations: 5, slotMs: 1_800_000 },
  ]);
  expect(used).toEqual({ runs: 4, iterations: 35, hours: 1.5 });
  expect(describeSpent({}, used)).toBeUndefined();
  expect(describeSpent({ budget: { runs: 5, iterations: 36, hours: 1.6 } }, used)).toBeUndefined();
  expect(describeSpent({ budget: { runs: 4 } }, used)).toBe("the budget of 4 runs is spent: 4 were begun");
  expect(describeSpent({ budget: { iterations: 30 } }, used)).toContain("30 iterations is spent: 35 were trained");
  expect(describeSpent({ budget: { hours: 1.5 } }, used)).toContain("1.5 slot-hours is spent: 1.5 were used");
});
