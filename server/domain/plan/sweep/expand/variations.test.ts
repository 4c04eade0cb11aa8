import { describe, expect, it } from "vitest";
import { contentHash } from "#trainer/spec/canonical.ts";
import { split } from "#trainer/spec/rng.ts";
import { draw, Distribution } from "../../search/distribution.ts";
import { expandPlan } from "./expand.ts";
import { parsePlan, toYaml } from "../plan.ts";
import { readAt } from "#packages/base";

const base = `
name: Rules
methods: [grpo, sapo]
environments: [{ id: sokoban }]
seeds: [0]
`;
const cellsOf = (yaml: string) => expandPlan(parsePlan(base + yaml)).cells;
const valuesOf = (yaml: string, ...paths: string[]) =>
  cellsOf(yaml).map(({ method, spec }) => [method, ...paths.map((path) => readAt(spec, path))]);

describe("dependent parameters", () => {
  it("are set only where their condition holds, and make no copies elsewhere", () => {
    const yaml = `
axes:
  update.klPlacement: [loss, reward]
  update.klTarget: [0.1, 0.2]
when:
  update.klTarget: { update.klPlacement: reward }
`;
    expect(valuesOf(yaml, "update.klPlacement", "update.klTarget")).toEqual([
      ["GRPO", "loss", null],
      ["GRPO", "reward", 0.1],
      ["GRPO", "reward", 0.2],
      ["SAPO", "loss", null],
      ["SAPO", "reward", 0.1],
      ["SAPO", "reward", 0.2],
    ]);
    expect(cellsOf(yaml).map(({ label }) => label)).toContain("klPlacement reward, klTarget 0.1");
  });

  it("may depend on the method", () => {
    const yaml = "axes: { update.epochs: [1, 2] }\nwhen: { update.epochs: { method: sapo } }\n";
    expect(valuesOf(yaml, "update.epochs")).toEqual([
      ["GRPO", 1],
      ["SAPO", 1],
      ["SAPO", 2],
    ]);
  });
});

describe("constraints", () => {
  it("leave out cells of which one holds, and say how many", () => {
    const yaml = `
axes: { update.epochs: [1, 2, 4], rollout.groupSize: [4, 8] }
exclude:
  - { update.epochs: [2, 4], rollout.groupSize: 4 }
  - { method: SAPO, update.epochs: 1 }
`;
    expect(valuesOf(yaml, "update.epochs", "rollout.groupSize")).toEqual([
      ["GRPO", 1, 4],
      ["GRPO", 1, 8],
      ["GRPO", 2, 8],
      ["GRPO", 4, 8],
      ["SAPO", 2, 8],
      ["SAPO", 4, 8],
    ]);
    const { notes } = expandPlan(parsePlan(base + yaml));
    expect(notes.map(({ text }) => text)).toContain("6 combinations are excluded by the rules in `exclude`.");
  });

  it.each([
    ["exclude: [{ update.epoch: 1 }]", '"update.epoch" is not a field of a cell; did you mean update.epochs?'],
    ["exclude: [{}]", "is empty and would match every cell"],
    ["when: { update.epochs: { method: grpo } }", "neither an axis nor sampled"],
    ["sample: { count: 2, parameters: { update.epochs: many } }", 'there is no distribution "many" (known: none)'],
    [
      "sample: { count: 2, parameters: { update.epochs: { kind: uniform, low: 2, high: 1 } } }",
      "low must be below high",
    ],
    ["sample: { count: 2, parameters: { update.epoch: { kind: integer, low: 1, high: 2 } } }", "is no hyperparameter"],
  ])("that lead nowhere are refused: %s", (yaml, problem) => {
    expect(() => parsePlan(`${base}${yaml}\n`)).toThrow(problem);
  });
});

describe("sampled parameters", () => {
  const yaml = (count: number, seed = 7) => `
distributions:
  rate: { kind: logUniform, low: 1.0e-5, high: 1.0e-3 }
sample:
  count: ${count}
  seed: ${seed}
  parameters:
    optimizer.learningRate: rate
    rollout.groupSize: { kind: choice, of: [4, 8] }
`;

  it("are drawn from the stored seed: the same file is the same plan, a longer sample begins like a shorter one", () => {
    const long = valuesOf(yaml(6), "optimizer.learningRate", "rollout.groupSize");
    expect(valuesOf(yaml(6), "optimizer.learningRate", "rollout.groupSize")).toEqual(long);
    const ofGrpo = (rows: unknown[][]) => rows.filter(([method]) => method === "GRPO");
    const short = valuesOf(yaml(3), "optimizer.learningRate", "rollout.groupSize");
    expect(ofGrpo(long).slice(0, 3)).toEqual(ofGrpo(short));
    expect(valuesOf(yaml(6, 8), "optimizer.learningRate", "rollout.groupSize")).not.toEqual(long);
  });

  it("are shared by the methods that are compared", () => {
    const rows = valuesOf(yaml(5), "optimizer.learningRate", "rollout.groupSize");
    const of = (name: string) => rows.filter(([method]) => method === name).map(([, ...values]) => values);
    expect(of("GRPO")).toHaveLength(5);
    expect(of("SAPO")).toEqual(of("GRPO"));
  });

  it("go with the grid, and are written and read again as they were", () => {
    const text = `${base}axes: { update.epochs: [1, 2] }\n${yaml(3)}`;
    const plan = parsePlan(text);
    expect(expandPlan(plan).cells).toHaveLength(2 * 2 * 3);
    const again = parsePlan(toYaml(plan));
    expect(contentHash(again)).toBe(contentHash(plan));
    expect(expandPlan(again)).toEqual(expandPlan(plan));
  });
});

describe("draws", () => {
  const many = (distribution: object) =>
    Array.from({ length: 2000 }, (_, i) => draw(Distribution.parse(distribution), split(1, "test", i)));
  const mean = (values: readonly unknown[]) => values.reduce<number>((sum, x) => sum + Number(x), 0) / values.length;

  it.each([
    [{ kind: "uniform", low: 2, high: 4 }, 3, 0.05],
    [{ kind: "integer", low: 1, high: 5 }, 3, 0.1],
    [{ kind: "normal", mean: -1, std: 2 }, -1, 0.15],
    [{ kind: "choice", of: [0, 1], weights: [1, 3] }, 0.75, 0.03],
    [{ kind: "uniform", low: 0, high: 1, step: 0.25 }, 0.5, 0.03],
  ])("%j have their mean", (distribution, expected, within) => {
    expect(Math.abs(mean(many(distribution)) - expected)).toBeLessThan(within);
  });

  it("are uniform in their logarithm where it is asked for, and stay within bounds", () => {
    const values = many({ kind: "logUniform", low: 1e-6, high: 1e-2 }).map(Number);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(1e-6);
    expect(Math.max(...values)).toBeLessThanOrEqual(1e-2);
    expect(Math.abs(mean(values.map((x) => Math.log10(x))) + 4)).toBeLessThan(0.1);
  });

  it("never choose what weighs nothing", () => {
    expect(new Set(many({ kind: "choice", of: ["a", "b", "c"], weights: [1, 0, 1] }))).toEqual(new Set(["a", "c"]));
  });
});

describe("a sweep of Weights & Biases", () => {
  it("is a grid with seeds, methods and environments by their usual names", () => {
    const plan = parsePlan(`
program: train.py
method: grid
metric: { name: success, goal: maximize }
parameters:
  learning_rate: { values: [0.0001, 0.0003] }
  actor_rollout_ref: { parameters: { actor: { parameters: { kl_loss_coef: { value: 0.02 } } } } }
  algorithm.adv_estimator: { values: [grpo, gigpo] }
  env_name: { value: alfworld/AlfredTWEnv }
  seed: { values: [1, 2, 3] }
`);
    expect(plan).toMatchObject({
      methods: ["grpo", "gigpo"],
      axes: { "optimizer.learningRate": [1e-4, 3e-4], "update.klCoef": [0.02] },
      seeds: [1, 2, 3],
    });
    expect(plan.environments.map(({ id }) => id)).toEqual(["alfworld"]);
    expect(expandPlan(plan).runs).toHaveLength(2 * 2 * 3);
  });

  it("is a search by TPE with halving where it is bayes with hyperband, and lists what has no equivalent", () => {
    const plan = parsePlan(`
program: train.py
method: bayes
metric: { name: val/acc, goal: maximize }
parameters:
  optimizer: { parameters: { lr: { distribution: log_uniform_values, min: 1e-6, max: 1e-3 } } }
  batch_size: { values: [16, 32] }
early_terminate: { type: hyperband, min_iter: 3, eta: 4, strict: true }
`);
    expect(plan.search).toMatchObject({
      sampler: { kind: "tpe" },
      space: { "optimizer.learningRate": { kind: "logUniform", low: 1e-6, high: 1e-3 } },
      objective: { metric: "evaluation/successRate", goal: "maximize" },
      trials: 30,
      halving: { kind: "asha", of: "iterations", least: 3, factor: 4 },
    });
    for (const word of [
      "program",
      "batch_size",
      "strict",
      "a search without run_cap",
      "metric val/acc (evaluation/successRate",
    ]) {
      expect(plan.description).toContain(word);
    }
  });

  it.each([
    ["min: 1e-5, max: 1e-2, distribution: log_uniform", 1e-5, 1e-2],
    ["min: -9.21034, max: -4.60517, distribution: log_uniform", 1e-4, 1e-2],
    ["min: '1e-5', max: '1e-2', distribution: log_uniform_values", 1e-5, 1e-2],
  ])("understands the bounds of %s", (text, low, high) => {
    const plan = parsePlan(
      `method: random\nrun_cap: 4\nmetric: { name: success_rate, goal: maximize }\nparameters: { lr: { ${text} } }\n`,
    );
    const space = plan.search?.space["optimizer.learningRate"];
    expect(space).toMatchObject({ kind: "logUniform" });
    expect(space && "low" in space && [space.low, space.high].map((x) => Number(x.toPrecision(3)))).toEqual([
      low,
      high,
    ]);
    expect(plan.search).toMatchObject({
      sampler: { kind: "random" },
      trials: 4,
      objective: { metric: "rollout/successRate" },
    });
  });

  it("takes numbers that PyYAML calls texts, and leaves null methods out", () => {
    const plan = parsePlan(
      `method: grid\nparameters:\n  learning_rate: { values: ["1e-5", 1e-4] }\n  adv_estimator: { values: [grpo, gspo, null] }\n`,
    );
    expect(plan).toMatchObject({ methods: ["grpo", "gspo"], axes: { "optimizer.learningRate": [1e-5, 1e-4] } });
    expect(plan.description).toContain("adv_estimator: null");
  });

  it("is a sample with a stored seed where it searches at random", () => {
    const plan = parsePlan(`
method: random
run_cap: 12
parameters:
  lr: { distribution: log_uniform_values, min: 0.00001, max: 0.001 }
  num_generations: { values: [4, 8], probabilities: [0.2, 0.8] }
  ppo_epochs: { min: 1, max: 4 }
`);
    expect(plan.sample).toEqual({
      count: 12,
      seed: 0,
      parameters: {
        "optimizer.learningRate": { kind: "logUniform", low: 1e-5, high: 1e-3 },
        "rollout.groupSize": { kind: "choice", of: [4, 8], weights: [0.2, 0.8] },
        "update.epochs": { kind: "integer", low: 1, high: 4 },
      },
    });
    expect(expandPlan(plan).cells).toHaveLength(12);
  });

  it.each([
    ["method: grid\nparameters: { dropout: { values: [0, 1] } }", "no setting has this name"],
    ["method: random\nparameters: { lr: { min: 0.1, max: 0.2 } }", "a random search needs run_cap, the number of runs"],
    [
      "method: random\nrun_cap: 2\nparameters: { lr: { distribution: beta, min: 0.1, max: 0.2 } }",
      "unknown distribution beta",
    ],
    ["method: hyperopt\nparameters: { lr: { min: 0.1, max: 0.2 } }", "grid, random or bayes"],
  ])("is refused with its reason: %s", (yaml, problem) => expect(() => parsePlan(`${yaml}\n`)).toThrow(problem));
});
