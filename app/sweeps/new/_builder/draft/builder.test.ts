import { expect, test } from "vitest";
import { BuiltInEnvironment, environments } from "#trainer/spec/environment.ts";
import { methodNames, methodOf } from "#trainer/spec/method.ts";
import { environmentFields, type Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan, type SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { checkFile, toFile } from "./check.ts";
import { startSeveral } from "./edits.ts";
import { fieldAt } from "./fields.ts";
import { defaultLevel, setLevels, startCorrection, startPart } from "./levels.ts";
import {
  chooseRule,
  planFieldAt,
  planFields,
  readBound,
  setPlanField,
  startParameter,
  startSearch,
} from "./planFields.ts";
import { setSetting } from "./settings.ts";
import { emptyFile, isPart, setIn, type Part } from "./sweepFile.ts";

const plans: Record<string, string> = {
  "named methods": "name: A\nmethods: [grpo, gspo]\nenvironments: [{id: sokoban}]\nseeds: [0, 1]\n",
  "a variant": `name: B
methods:
  - {name: Wide GSPO, from: gspo, clipping: {kind: sequence, low: 0.02, high: 0.03}}
environments: [{id: sokoban, size: 7, numBoxes: 2}]
seeds: [5]
`,
  "a grid with parameters": `name: C
grid:
  aggregation: [tokenMean, seqMeanTokenMean]
  clipping:
    - {kind: token, low: 0.2, high: 0.28, dual: null, sequenceMask: {delta: 0.003}}
    - {kind: token, low: 0.1, high: 0.1, dual: 3}
    - {kind: sapo, tauPositive: 1, tauNegative: 1.05}
  advantage: [{kind: group, scale: none, samples: episodes}, {kind: gigpo, stepWeight: 0.5}]
  sampling: [{kind: all}, {kind: dynamic, maxTries: 4}]
environments: [{id: sokoban}, {id: sokoban, size: 8}]
seeds: [0, 1, 2, 9]
`,
  "a sampler that is another policy": `name: S
methods: [grpo]
environments: [{id: sokoban}]
base:
  rollout: {lag: {kind: geometric, mean: 3, max: 16, discardBeyond: 8}, samplerNoise: {sigma: 0.02, seed: 1}}
axes:
  rollout.samplerPrecision: [float32, fp8-e4m3]
seeds: [0]
`,
  "evaluations elsewhere": `name: E
methods: [grpo]
environments: [{id: sokoban}, {id: sokoban, size: 7}]
base:
  evaluation:
    numEpisodes: 64
    elsewhere:
      - {name: large, environment: {id: sokoban, size: 7}, every: 10}
      - {environment: {id: alfworld, taskTypes: [pick, look]}, numEpisodes: 32}
seeds: [0]
`,
  "another trainer's evaluations elsewhere": `name: E
methods: [grpo]
environments: [{id: custom, title: GSM8K, dataFolder: gsm8k}]
base:
  trainer: {name: verl, options: {}}
  evaluation:
    elsewhere: [{environment: {id: custom, title: MATH 500, metrics: {success: val-core/math/acc/mean@1}}}]
seeds: [0]
`,
  "a base and axes": `name: D
description: Two learning rates
methods: [grpo]
environments: [{id: sokoban}]
base:
  policy: {size: micro}
  initialisation: {kind: demonstrations, numEpisodes: 50}
  optimizer: {epsilon: 1.0e-9}
axes:
  optimizer.learningRate: [0.0001, 0.0003]
  method.clipping.high: [0.2, 0.28]
seeds: [0]
`,
  "pretrained models": `name: P
methods: [grpo]
environments: [{id: sokoban}]
base:
  policy: {pretrained: /models/Qwen3, contextTokens: 1024, loraRank: 8, loraTargets: attention}
axes:
  policy.pretrained: [Qwen/Qwen3-0.6B@main, "/models/my model, the first"]
seeds: [0]
`,
  "an environment with settings of its own": `name: E
methods: [grpo, gspo]
environments:
  - id: alfworld
    maxTurns: 50
    base: {optimizer: {learningRate: 0.000001}, update: {minibatchRows: 256}}
    methods: {gspo: {clipping: {low: 0.0003, high: 0.0004}}}
  - {id: sokoban}
seeds: [0]
`,
  "mixtures and curricula": `name: M
methods: [grpo]
environments:
  - id: mixture
    base: {optimizer: {learningRate: 0.0001}}
    parts:
      - {name: one, weight: 3, environment: {id: sokoban}}
      - {weight: 1, environment: {id: webshop, catalogueSize: 50}}
  - id: curriculum
    phases:
      - {name: one, environment: {id: sokoban}, until: {iterations: 20, success: 0.8}}
      - {name: two, environment: {id: sokoban, numBoxes: 2}}
seeds: [0]
`,
  "parts that may be off": `name: F
methods:
  - {name: Masked, clipping: {kind: token, low: 0.2, high: 0.2, dual: null, sequenceMask: {delta: 0.01}}}
  - {name: Bi-level, advantage: {kind: gae, turns: {gamma: 0.9}, criticLearningRate: 0.001}}
grid:
  clipping:
    - {kind: token, low: 0.2, high: 0.2, dual: null}
    - {kind: aepo, low: 0.2, high: 0.2, dual: 4}
  advantage:
    - {kind: gae, turns: {gamma: 0.9, lambda: 0.8}}
    - {kind: gae, turns: null, criticLearningRate: 0.001}
    - {kind: gigpo, similarity: 0.8}
  sampling: [{kind: topVarianceMass, lossScale: sqrt}]
environments: [{id: sokoban}]
base:
  initialisation: {kind: rejection, rounds: 2}
  update: {klPlacement: reward, klEstimator: k1, klTarget: 0.05, oldLogProbs: trainer, truncatedImportance: 2, denominatorRows: null}
  budget: {split: null, iterations: 30}
  execution: {memoryLimitMb: 800, numSamples: 0}
axes:
  method.clipping.dual: [3, null]
seeds: [0]
`,
  "a split budget along an axis": `name: G
methods: [grpo]
environments: [{id: sokoban}]
base:
  budget: {split: {units: 4000, demonstrationShare: 0.5}}
axes:
  budget.split.demonstrationShare: [0, 0.25, 0.5]
seeds: [0]
`,
  "no demonstrations": `name: E
methods: [grpo]
environments: [{id: sokoban}]
base: {initialisation: {kind: scratch}}
seeds: [0]
`,
  "a search by halving": `name: H
methods: [grpo, gspo]
environments: [{id: sokoban}]
base: {budget: {iterations: 60}}
search:
  sampler: {kind: tpe, numStartup: 5, seed: 3}
  space:
    initialisation.kind: {kind: choice, of: [demonstrations, scratch]}
    initialisation.epochs: {kind: integer, low: 1, high: 4, when: {initialisation.kind: [demonstrations]}}
    optimizer.learningRate: {kind: logUniform, low: 0.0001, high: 0.005}
    update.klCoef: {kind: uniform, low: 0, high: 0.1, step: 0.01}
    update.minibatchRows: {kind: choice, of: [64, 128]}
  objective: {metric: evaluation/successRate, goal: maximize}
  trials: 40
  parallel: 8
  defaultsFirst: true
  halving: {kind: halving, of: iterations, least: 10, factor: 2, letGoOnShare: 0.2, seed: 4}
  until: {spread: 0.05}
  budget: {runs: 200, hours: 3.5}
seeds: [0, 1]
`,
  "a search by racing, whose rule has defaults only": `name: R
methods: [grpo]
environments: [{id: sokoban}]
search:
  sampler: {kind: sobol}
  space: {environment.size: {kind: integer, low: 6, high: 8}}
  objective: {metric: evaluation/successRate, goal: maximize}
  trials: 10
  racing: {}
seeds: [0, 1, 2]
`,
  "a search with several objectives, constraints and known trials": `name: O
methods: [grpo]
environments: [{id: sokoban}]
search:
  sampler: {kind: external}
  space: {optimizer.learningRate: {kind: logUniform, low: 0.0001, high: 0.01}}
  objective: [{metric: evaluation/successRate, goal: maximize}, {metric: collapsed, goal: minimize}]
  constraints: [{metric: policy/entropy, atLeast: 0.1, atMost: 2}]
  defaultsFirst: true
  known: [{point: {optimizer.learningRate: 0.001}, values: [0.5, 0]}]
  trials: 5
stopping: {at: unstable, iterations: 9, letGoOnShare: 0, seed: 7}
seeds: [0]
`,
  "needs of its own": `
name: Large
methods: [grpo]
environments: [{id: sokoban}]
seeds: [0]
placement: {slots: 4, labels: [a100]}
`,
};

test.each(Object.entries(plans))("a plan with %s means the same sweep in the form", (_, text) => {
  const plan = parsePlan(text);
  const { valid, issues } = checkFile(toFile(plan));
  expect(issues).toEqual([]);
  expect(valid?.plan).toEqual(plan);
  expect(valid?.expansion).toEqual(expandPlan(plan));
});

test.each(methodNames)("%s's four levels as a grid are the method itself", (name) => {
  const method = methodOf(name);
  const plan: SweepPlan = {
    ...parsePlan(plans["named methods"] ?? ""),
    methods: [],
    grid: {
      aggregation: [method.aggregation],
      clipping: [method.clipping],
      advantage: [method.advantage],
      sampling: [method.sampling],
      correction: [method.correction ?? null],
    },
  };
  expect(checkFile(toFile(plan)).valid?.expansion.cells.map((cell) => cell.spec.method)).toEqual([method]);
});

function make(changes: Part): Part {
  return { ...emptyFile, methods: ["grpo"], ...changes };
}

/** Types texts into the fields of hyperparameters, in order. */
function typed(texts: Readonly<Record<string, string>>, start: Part = make({})): Part {
  return Object.entries(texts).reduce((file, [path, text]) => setSetting(file, path, text), start);
}

/** Types texts into the fields of search, early stopping, rescue and placement. */
function planned(texts: Readonly<Record<string, string>>, start: Part = make({})): Part {
  return Object.entries(texts).reduce((file, [path, text]) => {
    const field = planFieldAt(path);
    if (!field) throw new Error(`no field ${path}`);
    return setPlanField(file, field, text);
  }, start);
}

test("values listed in a level multiply the grid, and in an environment the environments", () => {
  const clipping = { kind: "token", low: [0.1, 0.2], high: [0.2, 0.28] };
  expect(checkFile(make({ methods: [], grid: { clipping: [clipping] } })).valid?.expansion.cells).toHaveLength(4);
  const nested = { ...clipping, low: 0.1, high: 0.2, sequenceMask: { delta: [0.01, 0.02] } };
  expect(checkFile(make({ methods: [], grid: { clipping: [nested] } })).valid?.plan.grid?.clipping).toMatchObject([
    { sequenceMask: { delta: 0.01 } },
    { sequenceMask: { delta: 0.02 } },
  ]);
  const { valid } = checkFile(make({ environments: [{ id: "sokoban", size: [6, 7] }, { id: "webshop" }] }));
  expect(valid?.plan.environments).toMatchObject([{ size: 6 }, { size: 7 }, { id: "webshop" }]);
});

test("a problem of an item after listed values stands at the item's own place; too many combinations are refused", () => {
  const listed = { id: "sokoban", size: [6, 7] };
  const { issues } = checkFile(make({ environments: [listed, { id: "sokoban", size: 2 }] }));
  expect(issues).toEqual([{ field: "environments.1.size", message: "is 2, must be at least 5" }]);
  const many = Array.from({ length: 11 }, (_, i) => i / 100);
  const clipping = { kind: "token", low: many, high: many };
  expect(checkFile(make({ grid: { clipping: [clipping] } })).issues).toEqual([
    { field: "grid.clipping", message: "lists 121 combinations of values, limit is 100" },
  ]);
});

test("one value is a base value, several are an axis, and settings of methods are axes", () => {
  const file = typed({
    "optimizer.learningRate": "1e-4, 3e-4",
    "budget.iterations": "20",
    "method.clipping.high": "0.3",
  });
  expect(file).toMatchObject({
    base: { budget: { iterations: 20 } },
    axes: { "optimizer.learningRate": [1e-4, 3e-4], "method.clipping.high": [0.3] },
  });
  expect(checkFile(file).valid?.expansion.cells).toHaveLength(2);
  expect(typed({ "optimizer.learningRate": "", "budget.iterations": "", "method.clipping.high": "" }, file)).toEqual(
    make({}),
  );
});

/** A value other than the default: the first other choice, the flipped switch, one member, the highest number. */
function turned(field: Hyperparameter): unknown {
  switch (field.kind) {
    case "number":
      return field.max;
    case "choice":
      return field.options.find((option) => option !== field.default);
    case "flag":
      return !field.default;
    case "text":
      return "a text";
    case "set":
      return field.options.slice(0, 1);
  }
}

test.each(typedKeys(environments))("every knob of %s is a field of the form and has its value in the plan", (id) => {
  const knobs = environmentFields(id).map((field) => [field.path.slice("environment.".length), turned(field)] as const);
  const { id: _, ...shape } = environments[id].schema.shape;
  expect(knobs.map(([knob]) => knob).toSorted()).toEqual(Object.keys(shape).toSorted());
  const environment = environments[id].schema.parse({ id, ...Object.fromEntries(knobs) });
  const { valid, issues } = checkFile(make({ environments: [environment] }));
  expect([
    valid?.plan.environments ?? [environment],
    issues.filter(({ field }) => field.startsWith("environments.")),
  ]).toEqual([[environment], []]);
});

function typedKeys<Key extends string>(record: Record<Key, unknown>): Key[] {
  return Object.keys(record).filter((key): key is Key => Object.hasOwn(record, key));
}

test("a field that only one kind of initialisation has brings the kind along", () => {
  const { valid } = checkFile(typed({ "initialisation.numEpisodes": "50" }));
  expect(valid?.plan.base).toEqual({ initialisation: { kind: "demonstrations", numEpisodes: 50 } });
});

test("a field that several kinds have takes the kind that the other fields ask for", () => {
  const { valid } = checkFile(typed({ "initialisation.numEpisodes": "50", "initialisation.rounds": "2" }));
  expect(valid?.plan.base).toEqual({ initialisation: { kind: "rejection", numEpisodes: 50, rounds: 2 } });
});

test("off is a value where a field may be off, alone or along an axis", () => {
  const { valid, issues } = checkFile(typed({ "update.denominatorRows": "off, 32", "method.clipping.dual": "off" }));
  expect(issues).toEqual([]);
  expect(valid?.plan.axes).toEqual({ "update.denominatorRows": [null, 32], "method.clipping.dual": [null] });
});

const searching = (changes: Part) => make({ search: { ...startSearch(), ...changes } });
const rate = (texts: Record<string, string>, kind = "logUniform") => {
  const field = fieldAt("optimizer.learningRate");
  if (!field) throw new Error("no field");
  const bounds = Object.entries(texts).map(([name, text]) => [name, readBound(text, name, field)]);
  return searching({ space: { "optimizer.learningRate": { kind, ...Object.fromEntries(bounds) } } });
};
const trials = (texts: Readonly<Record<string, string>>, start = searching({})) => planned(texts, start);
const halving = make({ search: chooseRule(startSearch(), "halving", 200) });

test("a new search is a plan", () => {
  expect(checkFile(searching({})).valid?.plan.search).toMatchObject({
    sampler: { kind: "tpe" },
    space: { "optimizer.learningRate": { kind: "logUniform" } },
    objective: { metric: "evaluation/successRate", goal: "maximize" },
    trials: 20,
    parallel: 4,
  });
});

test.each(["optimizer.learningRate", "update.minibatchRows", "policy.size", "reward.turnPenalty", "environment.size"])(
  "a range that starts at %s has its kind and lies within its limits",
  (path) => {
    const { issues } = checkFile(searching({ space: { [path]: startParameter(path) } }));
    const at = `search.space.${path}`;
    expect(issues.map(({ field }) => field)).toEqual(path === "reward.turnPenalty" ? [`${at}.low`, `${at}.high`] : []);
  },
);

const token = { kind: "token", low: 0.2, high: 0.2 };
const space = "search.space.optimizer.learningRate";
test.each<[what: string, file: Part, field: string, message: RegExp]>([
  ["a bound over the limit", rate({ low: "1e-4", high: "2" }), `${space}.high`, /is 2, must be at most 1/],
  ["a bound that is no number", rate({ low: "x", high: "1" }), `${space}.low`, /"x" is not a number/],
  ["a missing bound", rate({ low: "1e-4" }), `${space}.high`, /is missing/],
  ["bounds in the wrong order", rate({ low: "0.1", high: "0.01" }), space, /must satisfy 0 < low < high/],
  ["a choice over the limit", rate({ of: "0.1, 2" }, "choice"), `${space}.of`, /is 2, must be at most 1/],
  [
    "a row without a hyperparameter",
    searching({ space: { "": startParameter("update.klCoef") } }),
    "search.space.",
    /no hyperparameter/,
  ],
  [
    "an axis that is searched",
    typed({ "optimizer.learningRate": "1e-4, 3e-4" }, rate({ low: "1e-4", high: "1e-3" })),
    space,
    /is an axis already/,
  ],
  ["an empty space", searching({ space: {} }), "search.space", /has no parameter/],
  ["too many trials", trials({ "search.trials": "6000" }), "search.trials", /is 6000, must be at most 5000/],
  ["no trials", trials({ "search.trials": "" }), "search.trials", /is missing/],
  ["two numbers of trials", trials({ "search.trials": "5, 6" }), "search.trials", /has 2 values, must have at most 1/],
  [
    "more trials at a time than in all",
    trials({ "search.trials": "5", "search.parallel": "9" }),
    "search.parallel",
    /is 9, must be at most 5, the number of trials/,
  ],
  [
    "a first rung beyond the budget",
    trials({ "search.halving.least": "300" }, halving),
    "search.halving.least",
    /is 300, must be below the iterations of a run, 200/,
  ],
  [
    "a factor below 2",
    trials({ "search.halving.of": "seeds", "search.halving.factor": "1" }, halving),
    "search.halving.factor",
    /is 1, must be at least 2/,
  ],
  [
    "a steady trial without spread",
    trials({ "search.until.spread": "0" }),
    "search.until.spread",
    /is 0, must be above 0/,
  ],
  [
    "one metric as two objectives",
    searching({ objective: [startSearch()["objective"], startSearch()["objective"]] }),
    "search.objective",
    /names the same metric twice/,
  ],
  [
    "a constraint without a bound",
    searching({ constraints: [{ metric: "policy/entropy" }] }),
    "search.constraints.0",
    /needs atLeast, atMost or both/,
  ],
  ["too many slots", planned({ "placement.slots": "2000" }), "placement.slots", /is 2000, must be at most 1024/],
  ["a label with a space", planned({ "placement.labels": "big memory" }), "placement.labels", /letters, digits/],
  [
    "an unknown change of a rescue",
    planned({ "rescue.on": "collapsed", "rescue.arms": "kl, warmup" }),
    "rescue.arms",
    /"warmup"/,
  ],
  [
    "too many beginnings of a rescue",
    planned({ "rescue.on": "collapsed", "rescue.before": "0,1,2,3,4,5,6,7,8,9,10" }),
    "rescue.before",
    /has 11 entries, must have at most 10/,
  ],
  [
    "a rescue too long before the alarm",
    planned({ "rescue.on": "collapsed", "rescue.before": "10, 2000000" }),
    "rescue.before",
    /is 2000000, must be at most 1000000/,
  ],
  [
    "a share above 1",
    planned({ "stopping.at": "collapsed", "stopping.letGoOnShare": "1.5" }),
    "stopping.letGoOnShare",
    /is 1.5, must be at most 1/,
  ],
  ["no seeds", make({ seeds: [] }), "seeds", /at least 1/],
  ["seeds that are no list", make({ seeds: "0, x" }), "seeds", /"x" is neither a seed like 7 nor a range like 0-4/],
  ["seeds listed twice", make({ seeds: [1, 1] }), "seeds", /seed 1 is listed twice/],
  ["no method", make({ methods: [], name: "x" }), "methods", /at least one method/],
  [
    "a learning rate over the limit",
    typed({ "optimizer.learningRate": "2" }),
    "base.optimizer.learningRate",
    /is 2, must be at most 1/,
  ],
  ["a text for a number", typed({ "update.epochs": "two" }), "base.update.epochs", /"two" is not a number/],
  [
    "a text for a method's number",
    typed({ "method.clipping.high": "0.2, x" }),
    "base.method.clipping.high",
    /"x" is not a number/,
  ],
  [
    "an unfinished number in a list",
    typed({ "optimizer.learningRate": "1e-4, 3e-" }),
    "base.optimizer.learningRate",
    /"3e-" is not a number/,
  ],
  ["half an epoch", typed({ "update.epochs": "0.5, 2" }), "base.update.epochs", /is 0.5, must be/],
  [
    "a tiny room",
    make({ environments: [{ id: "sokoban", size: 2 }] }),
    "environments.0.size",
    /is 2, must be at least 5/,
  ],
  [
    "a negative clip range",
    make({ grid: { clipping: [{ ...token, low: -0.1 }] } }),
    "grid.clipping.0.low",
    /is -0.1, must be at least 0/,
  ],
  [
    "text in a level",
    make({ grid: { clipping: [{ ...token, low: "0.1, x" }] } }),
    "grid.clipping.0.low",
    /"x" is not a number/,
  ],
  [
    "too many runs",
    typed(
      { "optimizer.learningRate": "1e-4 2e-4 3e-4 4e-4 5e-4 6e-4 7e-4 8e-4 9e-4 1e-3 2e-3" },
      make({ seeds: Array.from({ length: 1000 }, (_, i) => i) }),
    ),
    "",
    /11,000 runs, limit is 10,000/,
  ],
  [
    "an axis no method has",
    typed({ "method.advantage.zeta": "0.1, 0.2" }),
    "base.method.advantage.zeta",
    /applies to none/,
  ],
  [
    "a KL estimator that would do nothing",
    typed({ "update.klPlacement": "reward", "update.klEstimator": "k2, k3+" }),
    "base.update.klEstimator",
    /k3\+ differs from other estimators only in its gradient/,
  ],
  [
    "a split that scratch cannot use",
    typed({ "initialisation.kind": "scratch", "budget.split.units": "1000", "budget.split.demonstrationShare": "0.5" }),
    "base.budget.split",
    /needs an initialisation with demonstrations/,
  ],
  [
    "a split without its units",
    typed({ "budget.split.demonstrationShare": "0.5" }),
    "base.budget.split.units",
    /is missing/,
  ],
  [
    "a critic that warms up for longer than the run, in the grid",
    typed(
      { "budget.iterations": "5" },
      make({ methods: [], grid: { advantage: [{ ...gae(), criticWarmupIterations: 5 }] } }),
    ),
    "grid.advantage",
    /must be below the run.s 5 iterations/,
  ],
  [
    "text where a number or off belongs",
    typed({ "update.klTarget": "of" }),
    "base.update.klTarget",
    /"of" is not a number/,
  ],
  ["a key that no field shows", make({ base: { optimizer: { momentum: 2 } } }), "base.optimizer.momentum", /momentum/],
  [
    "a setting of one environment",
    make({ environments: [{ id: "sokoban", base: { optimizer: { learningRate: 2 } } }] }),
    "environments.0.base.optimizer.learningRate",
    /is 2, must be at most 1/,
  ],
  [
    "a task elsewhere without a title",
    make({ base: { evaluation: { elsewhere: [{ environment: { id: "custom" } }] } } }),
    "base.evaluation.elsewhere.0.environment.title",
    /is missing/,
  ],
])("%s: the problem stands at its field with value and limit", (_, file, field, message) => {
  const { issues, valid } = checkFile(file);
  expect(valid).toBeUndefined();
  expect(issues).toContainEqual({ field, message: expect.stringMatching(message) });
});

function gae(): Part {
  const level = defaultLevel("advantage", "gae");
  return isPart(level) ? level : {};
}

test("a rescue tries the several changes that its one field lists", () => {
  const paths = planFields().map(({ path }) => path);
  expect(paths).toEqual([...new Set(paths)]);
  const { valid, issues } = checkFile(planned({ "rescue.on": "collapsed", "rescue.arms": "kl, mask" }));
  expect(issues).toEqual([]);
  expect(valid?.plan.rescue?.arms).toEqual(["kl", "mask"]);
});

test("a sweep without a name is named after what it compares", () => {
  expect(checkFile(make({ methods: ["grpo", "gspo"] })).valid?.plan.name).toBe("GRPO, GSPO on Sokoban");
});

test("a rule that stops trials stays chosen without settings, and another sampler drops the settings that it lacks", () => {
  const racing = make({ search: { ...chooseRule(startSearch(), "racing", 200), racing: { kind: "t" } } });
  expect(planned({ "search.racing.kind": "" }, racing)["search"]).toMatchObject({ racing: {} });
  const sampled = planned({ "search.sampler.numStartup": "5", "search.sampler.kind": "random" }, searching({}));
  expect(sampled["search"]).toMatchObject({ sampler: { kind: "random" } });
  expect(checkFile(sampled).issues).toEqual([]);
});

const cut = startCorrection();

test("a correction of the form is one of the grid, beside none, and its lists multiply", () => {
  const listed = setIn(cut, ["weight", "high"], [2, 5]);
  const { valid } = checkFile(setLevels(make({ methods: [] }), "correction", [listed, null]));
  expect(valid?.expansion.cells.map(({ spec }) => spec.method.correction?.weight)).toMatchObject([
    { kind: "clip", level: "token", high: 2 },
    { kind: "clip", level: "token", high: 5 },
    undefined,
  ]);
});

test("a kind that changes keeps the values that fit, and begins the others with their defaults", () => {
  const zeroed = startPart("weight", "zero", { kind: "clip", high: 7 });
  expect(zeroed).toEqual({ kind: "zero", high: 7, level: "token", normalise: false });
  expect(startPart("reject", "drift", zeroed)).toEqual({ kind: "drift", delta: 0.05, anchor: "sampler" });
});

const rejecting = (rejection: Part) =>
  setLevels(make({ methods: [] }), "correction", [setIn(cut, ["reject"], [startPart("reject", "drift"), rejection])]);

test.each<[what: string, file: Part, field: string, message: string]>([
  ["no number", rejecting({ kind: "row", low: "x" }), "grid.correction.0.reject.1.low", '"x" is not a number'],
  [
    "a bound below 0",
    rejecting({ kind: "row", high: -1 }),
    "grid.correction.0.reject.1.high",
    "is -1, must be at least 0",
  ],
  [
    "a rejection without bounds",
    setLevels(make({ methods: [] }), "correction", [setIn(cut, ["reject"], [startPart("reject", "veto")])]),
    "grid.correction",
    "needs low, high or both",
  ],
])("%s in a correction is said at its field", (_, file, field, message) => {
  expect(checkFile(file).issues).toContainEqual({ field, message: expect.stringContaining(message) });
});

test("a mixture or curriculum begins with the chosen environments, and its wrong numbers are named at their fields", () => {
  const mixture = startSeveral("mixture", [
    { id: "sokoban", size: 7, base: { budget: { iterations: 9 } } },
    { id: "webshop" },
  ]);
  expect(checkFile(make({ environments: [mixture] })).valid?.plan.environments).toMatchObject([
    { id: "mixture", parts: [{ name: "sokoban", weight: 1, environment: { size: 7 } }, { name: "webshop" }] },
  ]);
  const curriculum = startSeveral("curriculum", [{ id: "sokoban", size: 7 }]);
  expect(checkFile(make({ environments: [curriculum] })).valid?.plan.environments).toMatchObject([
    { phases: [{ name: "sokoban", until: { iterations: 50 } }, { name: "sokoban-2" }] },
  ]);
  const wrong = (path: readonly (string | number)[], value: unknown) =>
    checkFile(make({ environments: [setIn(mixture, ["parts", 1, ...path], value)] })).issues.map(({ field }) => field);
  expect(wrong(["weight"], "none")).toEqual(["environments.0.parts.1.weight"]);
  expect(wrong(["environment", "catalogueSize"], [50, 100])).toEqual([
    "environments.0.parts.1.environment.catalogueSize",
  ]);
  const twice = setIn(startSeveral("mixture", [{ id: "sokoban" }]), ["parts", 1, "name"], "sokoban");
  expect(checkFile(make({ environments: [twice] })).issues).toEqual([
    {
      field: "environments.0.parts.1.name",
      message: expect.stringContaining('"sokoban" is already the name of parts[0]'),
    },
  ]);
});

test.each(BuiltInEnvironment.options.map(({ shape }) => shape.id.value))(
  "a mixture of %s alone begins with two different parts, the second with larger tasks",
  (id) => {
    const mixture = startSeveral("mixture", [{ id }]);
    expect(checkFile(make({ environments: [mixture] })).issues).toEqual([]);
    const [first, second, ...others] = [mixture["parts"]].flat();
    expect(others).toEqual([]);
    expect(second).toMatchObject({ name: `${id}-2` });
    expect(second).not.toMatchObject({ environment: isPart(first) ? { ...Object(first["environment"]), id: "" } : {} });
  },
);

test("another kind of lag takes the fields of the last one away, so that the plan is one", () => {
  const lagging = typed({ "rollout.lag.kind": "constant", "rollout.lag.k": "4" });
  expect(checkFile(lagging).issues).toEqual([]);
  const uniform = typed({ "rollout.lag.kind": "uniform" }, lagging);
  expect(uniform["base"]).toEqual({ rollout: { lag: { kind: "uniform" } } });
  expect(checkFile(uniform).valid?.expansion.cells[0]?.spec.rollout.lag).toEqual({ kind: "uniform", max: 4 });
});
