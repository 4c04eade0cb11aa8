import { describe, expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { AppError } from "#packages/base";
import { checkPlan, parsePlan, SweepPlan, toYaml } from "./plan.ts";
import { expandPlan } from "./expand/expand.ts";
import { planKeys } from "./problems.ts";
import { Base } from "./settings/base.ts";

/** Issues of a rejected plan, formatted as "line: path: message". */
function refuse(yaml: string): string[] {
  try {
    parsePlan(yaml);
  } catch (error) {
    if (error instanceof AppError && error.code === "bad_input") {
      return error.issues.map(({ line, path, message }) => `${line ?? "-"}: ${path}: ${message}`);
    }
    throw error;
  }
  throw new Error("the plan was accepted");
}

const rest = "name: a\nmethods: [grpo]\nenvironments: [{id: sokoban}]\n";

describe("parsePlan", () => {
  it.each([
    ["an unknown key", `${rest}seeds: [0]\nseed: 1`, ['5: seed: unknown key "seed"; did you mean "seeds"?']],
    [
      "a misspelt hyperparameter",
      `${rest}seeds: [0]\nbase:\n  optimizer:\n    learning_rat: 1`,
      ['7: base.optimizer.learning_rat: unknown key "learning_rat"; did you mean "learningRate"?'],
    ],
    ["0 seeds", `${rest}seeds: []`, ["4: seeds: has 0 entries, must have at least 1"]],
    ["no seeds at all", rest, ["-: seeds: is missing (a list)"]],
    [
      "an environment twice",
      "methods: [grpo]\nenvironments:\n  - { id: sokoban }\n  - { id: webshop }\n  - { id: sokoban, size: 6 }\nseeds: [0]\nname: x\n",
      ["5: environments[2]: has the same settings as environments[0]: remove one"],
    ],
    ["a seed twice", `${rest}seeds: [1, 2, 1]`, ["4: seeds[2]: seed 1 is listed twice"]],
    ["a fractional seed", `${rest}seeds: [0.5]`, ["4: seeds[0]: is 0.5, must be an integer"]],
    [
      "a negative clip range",
      "name: a\nmethods:\n  - name: x\n    clipping: {kind: token, low: -0.2, high: 0.2}\nenvironments: [{id: sokoban}]\nseeds: [0]",
      ["4: methods[0].clipping.low: is -0.2, must be at least 0"],
    ],
    [
      "an unknown method",
      "name: a\nmethods: [gsop]\nenvironments: [{id: sokoban}]\nseeds: [0]",
      ['2: methods[0]: unknown value "gsop"; did you mean "gspo"?'],
    ],
    [
      "an unknown kind",
      "name: a\nmethods: [{name: x, advantage: {kind: grup}}]\nenvironments: [{id: sokoban}]\nseeds: [0]",
      ['2: methods[0].advantage.kind: unknown value "grup"; did you mean "group"?'],
    ],
    [
      "a room that is too large",
      "name: a\nmethods: [grpo]\nenvironments: [{id: sokoban, size: 80}]\nseeds: [0]",
      ["3: environments[0].size: is 80, must be at most 10"],
    ],
    [
      "a text where a number belongs",
      `${rest}seeds: [0]\nbase: {update: {klCoef: high}}`,
      ['5: base.update.klCoef: is "high", must be a number'],
    ],
    [
      "an estimator that would do nothing",
      `${rest}seeds: [0]\nbase:\n  update:\n    klPlacement: reward\n    klEstimator: k3+`,
      [
        "8: base.update.klEstimator: k3+ differs from other estimators only in its gradient, but a KL in the reward has no gradient (GRPO)",
      ],
    ],
    [
      "a combination that an axis makes",
      "name: a\nmethods: [grpo, rloo, dapoGrpo]\nenvironments: [{id: sokoban}]\nseeds: [0]\naxes:\n  rollout.groupSize: [1, 8]",
      [
        "6: axes.rollout.groupSize: is 1, must be at least 2: leave-one-out compares an episode with the others of its group (RLOO)",
        "6: axes.rollout.groupSize: is 1, must be at least 2: dynamic sampling compares the episodes of a group (DAPO_GRPO)",
      ],
    ],
    [
      "a conflict with a method's own setting",
      "name: a\nmethods:\n  - name: x\n    advantage: {kind: gae, criticWarmupIterations: 9}\nbase: {budget: {iterations: 9}}\nenvironments: [{id: sokoban}]\nseeds: [0]",
      [
        "3: methods[0]: is 9, must be below the run's 9 iterations: the policy does not learn during critic warm-up (x)",
      ],
    ],
    [
      "a field that is off everywhere",
      `${rest}seeds: [0]\nbase: {update: {denominatorRows: 0}}`,
      ["5: base.update.denominatorRows: is 0, must be at least 1"],
    ],
    [
      "neither methods nor a grid",
      "name: a\nenvironments: [{id: sokoban}]\nseeds: [0]",
      ["-: methods: has 0 entries and there is no grid: add at least one method"],
    ],
    [
      "a published name on other settings",
      "name: a\nmethods: [{name: SAMPO, from: grpo}]\nenvironments: [{id: sokoban}]\nseeds: [0]",
      ['2: methods[0]: the name "SAMPO" belongs to a published method with other settings: choose another name'],
    ],
    [
      "an axis that does not exist",
      `${rest}seeds: [0]\naxes:\n  optimizer.learnRate: [1]`,
      [
        '6: axes.optimizer.learnRate: "optimizer.learnRate" is no hyperparameter; did you mean "optimizer.learningRate"?',
      ],
    ],
    [
      "an axis by its last word",
      `${rest}seeds: [0]\naxes: {klCoef: [0]}`,
      ['5: axes.klCoef: "klCoef" is no hyperparameter; did you mean "update.klCoef"?'],
    ],
    [
      "an axis that no method of the sweep has",
      `${rest}seeds: [0]\naxes: {method.clipping.tauPositive: [1, 2]}`,
      ["5: axes.method.clipping.tauPositive: applies to none of this sweep's methods and environments"],
    ],
    [
      "an axis value out of range",
      `${rest}seeds: [0]\naxes: {optimizer.learningRate: [0.001, 7]}`,
      ["5: axes.optimizer.learningRate: is 7, must be at most 1"],
    ],
    [
      "a grid over the limit",
      `${rest}seeds: [${Array.from({ length: 102 }, (_, i) => i).join(", ")}]\naxes: {update.klCoef: [${Array.from({ length: 100 }, (_, i) => i).join(", ")}]}`,
      ["-: : grid has 10,200 runs, limit is 10,000"],
    ],
    [
      "YAML that is none",
      "name: [a\nseeds: 1",
      ["2: : Flow sequence in block collection must be sufficiently indented and end with a ]"],
    ],
    ["a key twice", `${rest}seeds: [0]\nname: b`, ["5: : Map keys must be unique"]],
    ["a file that is a sentence", "hello", ['-: : is "hello", must be a mapping of keys to values']],
    ["an empty file", "", ["-: : is null, must be a mapping of keys to values"]],
  ])("refuses %s, naming field, value and limit", (_, yaml, issues) => {
    expect(refuse(yaml)).toEqual(issues);
  });

  it("reports every problem of a file at once", () => {
    expect(refuse("name: a\nmethods: [gsop]\nenvironments: [{id: sokoban, size: 1}]\nseeds: []")).toHaveLength(3);
  });

  it("does not build a product of millions of runs before refusing it", () => {
    const many = Array.from({ length: 100 }, (_, i) => i).join(", ");
    const axes = ["update.klCoef", "update.entropyCoef", "rollout.temperature", "reward.invalidActionPenalty"];
    const yaml = `${rest}seeds: [${many}]\naxes:\n${axes.map((axis) => `  ${axis}: [${many}]`).join("\n")}`;
    expect(refuse(yaml)).toEqual(["-: : grid has 10,000,000,000 runs, limit is 10,000"]);
  });

  it("takes every part of a cell as base but environment and method, which have lists of their own", () => {
    const own = ["environment", "method"];
    expect(Object.keys(Base.shape)).toEqual(Object.keys(CellSpec.shape).filter((key) => !own.includes(key)));
  });

  it("knows every key of a plan when it guesses a misspelt one", () => {
    expect(planKeys).toEqual(expect.arrayContaining(Object.keys(SweepPlan.shape).filter((key) => key !== "v")));
  });
});

describe("toYaml", () => {
  const plan = checkPlan({
    name: "All parts: a # b",
    description: "two\nlines",
    methods: ["grpo", { name: "1.0", from: "sampo", clipping: { kind: "sequence", low: 0.03, high: 0.04 } }],
    grid: { clipping: [{ kind: "token", low: 0.2, high: 0.28, sequenceMask: { delta: 0.003 } }] },
    environments: [{ id: "sokoban", size: 7 }],
    base: { optimizer: { learningRate: 1e-5 }, initialisation: { kind: "scratch" } },
    axes: { "rollout.groupSize": [4, 8], "policy.size": ["nano", "micro"] },
    seeds: [0, 42],
    placement: { slots: 2, labels: ["gpu"] },
  });

  it("round-trips a plan with every part", () => {
    expect(parsePlan(toYaml(plan))).toEqual(plan);
  });

  it("keeps what the author wrote and adds no defaults to the base", () => {
    expect(plan.base).toEqual({ optimizer: { learningRate: 1e-5 }, initialisation: { kind: "scratch" } });
    expect(toYaml(plan)).toContain("seeds: [0, 42]");
  });
});

describe("a variant's partial clipping", () => {
  const clippingOf = (variant: object) => {
    const plan = checkPlan({
      name: "x",
      methods: [{ name: "variant", ...variant }],
      environments: [{ id: "sokoban" }],
      seeds: [0],
    });
    expect(parsePlan(toYaml(plan))).toEqual(plan);
    expect(checkPlan(plan)).toEqual(plan);
    return expandPlan(plan).cells[0]?.spec.method.clipping;
  };
  const [sampo, masked] = [methodOf("sampo").clipping, methodOf("grpoSm").clipping];

  it("keeps the settings of the method that the variant is from", () => {
    expect(clippingOf({ from: "grpoSm", clipping: { high: 0.3 } })).toEqual({ ...masked, high: 0.3 });
    expect(clippingOf({ from: "sampo", clipping: { low: 0.1 } })).toEqual({ ...sampo, low: 0.1 });
    expect(clippingOf({ from: "sampo", clipping: { kind: sampo.kind, low: 0.1, high: 0.2 } })).toEqual({
      ...sampo,
      low: 0.1,
      high: 0.2,
    });
    expect(clippingOf({ clipping: { dual: null } })).toEqual({ ...methodOf("grpo").clipping, dual: null });
  });

  it("replaces a complete part and another kind as a whole", () => {
    const token = { kind: "token", low: 0.1, high: 0.1, dual: null, sequenceMask: null };
    expect(clippingOf({ from: "grpoSm", clipping: token })).toEqual(token);
    expect(clippingOf({ from: "grpoSm", clipping: { kind: "sequence", low: 0.1, high: 0.2 } })).toEqual({
      kind: "sequence",
      low: 0.1,
      high: 0.2,
      credit: "row",
    });
  });

  it("is refused at its field if the method has no such setting", () => {
    expect(() => clippingOf({ from: "sapo", clipping: { high: 0.3 } })).toThrow(/methods\[0\]\.clipping\.high/);
    expect(() => clippingOf({ from: "grpoSm", clipping: { high: 30 } })).toThrow(
      "methods[0].clipping.high: is 30, must be at most 10",
    );
    expect(() => clippingOf({ from: "grpoSm", clipping: { kind: "sequence", high: 0.2 } })).toThrow(
      "methods[0].clipping.low: is missing",
    );
  });
});
