import { expect, test } from "vitest";
import { BuiltInEnvironment, environments } from "#trainer/spec/environment.ts";
import { methodNames, methodOf } from "#trainer/spec/method.ts";
import { environmentFields, type Hyperparameter } from "#server/domain/plan/sweep/hyperparameters.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import { parsePlan, toYaml, type SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { draftEnvironment } from "#app/_components/episode/environmentDraft.ts";
import { initialState, reduceBuilder } from "./builderState.ts";
import { readYaml, writeYaml } from "./planFile.ts";
import { emptyDraft, type Draft, type PartDraft, type SearchDraft } from "./draft.ts";
import { startCorrection, startPart } from "./correctionDraft.ts";
import { setValue, startSeveral } from "./edits.ts";
import { fromPlan } from "./fromPlan.ts";
import { defaultLevel } from "./levels.ts";
import { planFields, startParameter, startSearch } from "./searchDraft.ts";
import { checkDraft } from "./toPlan.ts";

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

test.each(Object.entries(plans))("a plan with %s means the same sweep after going through the form", (_, text) => {
  const plan = parsePlan(text);
  const { valid, issues } = checkDraft(fromPlan(plan));
  expect(issues).toEqual([]);
  expect(valid?.expansion).toEqual(expandPlan(plan));
  expect(valid?.plan.name).toBe(plan.name);
  expect(valid?.plan.placement).toEqual(plan.placement);
});

test.each(Object.entries(plans))("a plan with %s goes form → YAML → form unchanged", (_, text) => {
  const draft = fromPlan(parsePlan(text));
  const yaml = readYaml(writeYaml(draft));
  expect(yaml.plan && fromPlan(yaml.plan)).toEqual(draft);
});

test.each(["a search by halving", "a search with several objectives, constraints and known trials"])(
  "%s keeps every field",
  (name) => {
    const plan = parsePlan(plans[name] ?? "");
    const { search, stopping } = checkDraft(fromPlan(plan)).valid?.plan ?? {};
    expect([search, stopping]).toEqual([plan.search, plan.stopping]);
  },
);

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
  expect(checkDraft(fromPlan(plan)).valid?.expansion.cells.map((cell) => cell.spec.method)).toEqual([method]);
});

function draft(changes: Partial<Draft>): Draft {
  return { ...emptyDraft(), methods: ["grpo"], ...changes };
}

test("values listed in a level's field multiply the grid", () => {
  const token = defaultLevel("clipping", "token");
  const grid = {
    ...emptyDraft().grid,
    clipping: [{ ...token, values: { ...token.values, high: "0.2, 0.28", low: "0.1 0.2" } }],
  };
  expect(checkDraft(draft({ methods: [], grid })).valid?.expansion.cells).toHaveLength(4);
});

test("one value is a base value, several are an axis, and knobs of an environment multiply it", () => {
  const { valid } = checkDraft(
    draft({
      values: { "optimizer.learningRate": "1e-4, 3e-4", "budget.iterations": "20", "method.clipping.high": "0.3" },
      environments: [{ id: "sokoban", values: { size: "6, 7" } }],
    }),
  );
  expect(valid?.plan).toMatchObject({
    base: { budget: { iterations: 20 } },
    axes: { "optimizer.learningRate": [1e-4, 3e-4], "method.clipping.high": [0.3] },
    environments: [{ size: 6 }, { size: 7 }],
  });
  expect(valid?.expansion.cells).toHaveLength(4);
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

test.each(typedKeys(environments))("every knob of %s goes through the form and comes back", (id) => {
  const knobs = environmentFields(id).map((field) => [field.path.slice("environment.".length), turned(field)] as const);
  const { id: _, ...shape } = environments[id].schema.shape;
  expect(knobs.map(([knob]) => knob).toSorted()).toEqual(Object.keys(shape).toSorted());
  const environment = environments[id].schema.parse({ id, ...Object.fromEntries(knobs) });
  const plan: SweepPlan = {
    ...parsePlan(plans["named methods"] ?? ""),
    environments: [BuiltInEnvironment.parse(environment)],
  };
  const { raw, issues } = checkDraft(fromPlan(plan));
  expect([raw["environments"], issues.filter(({ field }) => field.startsWith("environments"))]).toEqual([
    [environment],
    [],
  ]);
});

function typedKeys<Key extends string>(record: Record<Key, unknown>): Key[] {
  return Object.keys(record).filter((key): key is Key => Object.hasOwn(record, key));
}

test("a field that only one kind of initialisation has brings the kind along", () => {
  const { valid } = checkDraft(draft({ values: { "initialisation.numEpisodes": "50" } }));
  expect(valid?.plan.base).toEqual({ initialisation: { kind: "demonstrations", numEpisodes: 50 } });
});

test("a field that several kinds have takes the kind that the other fields ask for", () => {
  const { valid } = checkDraft(draft({ values: { "initialisation.numEpisodes": "50", "initialisation.rounds": "2" } }));
  expect(valid?.plan.base).toEqual({ initialisation: { kind: "rejection", numEpisodes: 50, rounds: 2 } });
});

test("off is a value where a field may be off, alone or along an axis", () => {
  const { valid, issues } = checkDraft(
    draft({ values: { "update.denominatorRows": "off, 32", "method.clipping.dual": "off" } }),
  );
  expect(issues).toEqual([]);
  expect(valid?.plan.axes).toEqual({ "update.denominatorRows": [null, 32], "method.clipping.dual": [null] });
});

const searching = (changes: Partial<SearchDraft>) => draft({ search: { ...startSearch(), ...changes } });
const rate = (values: Record<string, string>, kind = "logUniform") =>
  searching({ space: [{ path: "optimizer.learningRate", kind, values }] });

test("a new search is a plan, and switched off it keeps its texts", () => {
  expect(checkDraft(searching({})).valid?.plan.search).toMatchObject({
    sampler: { kind: "tpe" },
    space: { "optimizer.learningRate": { kind: "logUniform" } },
    objective: { metric: "evaluation/successRate", goal: "maximize" },
    trials: 20,
    parallel: 4,
  });
  const off = searching({ isOn: false, values: { trials: "x" } });
  const { valid, issues } = checkDraft(off);
  expect([valid?.plan.search, issues]).toEqual([undefined, []]);
});

test.each(["optimizer.learningRate", "update.minibatchRows", "policy.size", "reward.turnPenalty", "environment.size"])(
  "a range that starts at %s has its kind and lies within its limits",
  (path) => {
    const { issues } = checkDraft(searching({ space: [startParameter(path)] }));
    const isOpenEnded = path === "reward.turnPenalty";
    expect(issues.map(({ field }) => field)).toEqual(isOpenEnded ? ["search.space.0.low", "search.space.0.high"] : []);
  },
);

const token = defaultLevel("clipping", "token");
test.each([
  ["a bound over the limit", rate({ low: "1e-4", high: "2" }), "search.space.0.high", /is 2, must be at most 1/],
  ["a bound that is no number", rate({ low: "x", high: "1" }), "search.space.0.low", /"x" is not a number/],
  ["a missing bound", rate({ low: "1e-4" }), "search.space.0.high", /is missing/],
  ["bounds in the wrong order", rate({ low: "0.1", high: "0.01" }), "search.space.0", /must satisfy 0 < low < high/],
  ["a choice over the limit", rate({ of: "0.1, 2" }, "choice"), "search.space.0.of", /is 2, must be at most 1/],
  [
    "a hyperparameter searched twice",
    searching({ space: [startParameter("update.klCoef"), startParameter("update.klCoef")] }),
    "search.space.1.path",
    /is searched twice/,
  ],
  [
    "a row without a hyperparameter",
    searching({ space: [{ path: "", kind: "uniform", values: {} }] }),
    "search.space.0.path",
    /choose a hyperparameter/,
  ],
  [
    "an axis that is searched",
    { ...rate({ low: "1e-4", high: "1e-3" }), values: { "optimizer.learningRate": "1e-4, 3e-4" } },
    "search.space.0",
    /is an axis already/,
  ],
  ["an empty space", searching({ space: [] }), "search.space", /has no parameter/],
  ["too many trials", searching({ values: { trials: "6000" } }), "search.trials", /is 6000, must be at most 5000/],
  ["no trials", searching({ values: {} }), "search.trials", /is missing/],
  [
    "two numbers of trials",
    searching({ values: { trials: "5, 6" } }),
    "search.trials",
    /has 2 values, must have at most 1/,
  ],
  [
    "more trials at a time than in all",
    searching({ values: { trials: "5", parallel: "9" } }),
    "search.parallel",
    /is 9, must be at most 5, the number of trials/,
  ],
  [
    "a first rung beyond the budget",
    searching({ rule: "halving", values: { trials: "9", "halving.of": "iterations", "halving.least": "300" } }),
    "search.halving.least",
    /is 300, must be below the iterations of a run, 200/,
  ],
  [
    "a factor below 2",
    searching({ rule: "halving", values: { trials: "9", "halving.of": "seeds", "halving.factor": "1" } }),
    "search.halving.factor",
    /is 1, must be at least 2/,
  ],
  [
    "a steady trial without spread",
    searching({ values: { trials: "9", "until.spread": "0" } }),
    "search.until.spread",
    /is 0, must be above 0/,
  ],
  [
    "one metric as two objectives",
    searching({ objectives: [...startSearch().objectives, ...startSearch().objectives] }),
    "search.objective",
    /names the same metric twice/,
  ],
  [
    "a constraint without a bound",
    searching({ constraints: [{ metric: "policy/entropy" }] }),
    "search.constraints.0",
    /needs atLeast, atMost or both/,
  ],
  [
    "too many slots",
    draft({ plan: { "placement.slots": "2000" } }),
    "placement.slots",
    /is 2000, must be at most 1024/,
  ],
  [
    "a label with a space",
    draft({ plan: { "placement.labels": "big memory" } }),
    "placement.labels",
    /letters, digits/,
  ],
  [
    "an unknown change of a rescue",
    draft({ plan: { "rescue.on": "collapsed", "rescue.arms": "kl, warmup" } }),
    "rescue.arms",
    /"warmup"/,
  ],
  [
    "too many beginnings of a rescue",
    draft({ plan: { "rescue.on": "collapsed", "rescue.before": "0,1,2,3,4,5,6,7,8,9,10" } }),
    "rescue.before",
    /has 11 entries, must have at most 10/,
  ],
  [
    "a rescue too long before the alarm",
    draft({ plan: { "rescue.on": "collapsed", "rescue.before": "10, 2000000" } }),
    "rescue.before",
    /is 2000000, must be at most 1000000/,
  ],
  [
    "a share above 1",
    draft({ plan: { "stopping.at": "collapsed", "stopping.letGoOnShare": "1.5" } }),
    "stopping.letGoOnShare",
    /is 1.5, must be at most 1/,
  ],

  ["seeds", draft({ seeds: "" }), "seeds", /at least 1/],
  ["seeds listed twice", draft({ seeds: "1, 1" }), "seeds", /seed 1 is listed twice/],
  ["no method", draft({ methods: [], name: "x" }), "methods", /at least one method/],
  [
    "a learning rate over the limit",
    draft({ values: { "optimizer.learningRate": "2" } }),
    "values.optimizer.learningRate",
    /is 2, must be at most 1/,
  ],
  [
    "a text for a number",
    draft({ values: { "update.epochs": "two" } }),
    "values.update.epochs",
    /"two" is not a number/,
  ],
  [
    "half an epoch",
    draft({ values: { "update.epochs": "0.5, 2" } }),
    "values.update.epochs",
    /is 0.5, must be at least 1/,
  ],
  [
    "a tiny room",
    draft({ environments: [{ id: "sokoban", values: { size: "2" } }] }),
    "environments.0.size",
    /is 2, must be at least 5/,
  ],
  [
    "a negative clip range",
    draft({ grid: { ...emptyDraft().grid, clipping: [{ ...token, values: { ...token.values, low: "-0.1" } }] } }),
    "grid.clipping.0.low",
    /is -0.1, must be at least 0/,
  ],
  [
    "too many runs",
    draft({
      seeds: "0-999",
      values: { "optimizer.learningRate": "1e-4 2e-4 3e-4 4e-4 5e-4 6e-4 7e-4 8e-4 9e-4 1e-3 2e-3" },
    }),
    "",
    /11,000 runs, limit is 10,000/,
  ],
  [
    "an axis no method has",
    draft({ values: { "method.advantage.zeta": "0.1, 0.2" } }),
    "values.method.advantage.zeta",
    /applies to none/,
  ],
  [
    "a KL estimator that would do nothing",
    draft({ values: { "update.klPlacement": "reward", "update.klEstimator": "k2, k3+" } }),
    "values.update.klEstimator",
    /k3\+ differs from other estimators only in its gradient/,
  ],
  [
    "a split that scratch cannot use",
    draft({
      values: {
        "initialisation.kind": "scratch",
        "budget.split.units": "1000",
        "budget.split.demonstrationShare": "0.5",
      },
    }),
    "values.budget.split",
    /needs an initialisation with demonstrations/,
  ],
  [
    "a split without its units",
    draft({ values: { "budget.split.demonstrationShare": "0.5" } }),
    "values.budget.split.units",
    /is missing/,
  ],
  [
    "a critic that warms up for longer than the run, in the grid",
    draft({
      methods: [],
      values: { "budget.iterations": "5" },
      grid: {
        ...emptyDraft().grid,
        advantage: [
          { kind: "gae", values: { ...defaultLevel("advantage", "gae").values, criticWarmupIterations: "5" } },
        ],
      },
    }),
    "grid.advantage",
    /must be below the run.s 5 iterations/,
  ],
  [
    "text where a number or off belongs",
    draft({ values: { "update.klTarget": "of" } }),
    "values.update.klTarget",
    /"of" is not a number/,
  ],
])("%s: the problem stands at its field with value and limit", (_, one, field, message) => {
  const { issues, valid } = checkDraft(one);
  expect(valid).toBeUndefined();
  expect(issues).toContainEqual({ field, message: expect.stringMatching(message) });
});

test("a rescue tries the several changes that its one field lists", () => {
  const paths = planFields().map(({ path }) => path);
  expect(paths).toEqual([...new Set(paths)]);
  const { valid, issues } = checkDraft(draft({ plan: { "rescue.on": "collapsed", "rescue.arms": "kl, mask" } }));
  expect(issues).toEqual([]);
  expect(valid?.plan.rescue?.arms).toEqual(["kl", "mask"]);
});

test("a sweep without a name is named after what it compares", () => {
  expect(checkDraft(draft({ methods: ["grpo", "gspo"] })).valid?.plan.name).toBe("GRPO, GSPO on Sokoban");
});

test("opening YAML and coming back leaves a half-filled form as it was typed", () => {
  const half = draft({ methods: [], seeds: "0-", values: { "optimizer.learningRate": "1e-" } });
  const there = reduceBuilder({ ...initialState(), draft: half }, { do: "openYaml", text: writeYaml(half) });
  expect(there.yaml.text).toContain("environments");
  expect(reduceBuilder(there, { do: "openForm", plan: readYaml(there.yaml.text).plan }).draft).toEqual(half);
});

test("a changed valid text becomes the form; an invalid one keeps its tab until it is discarded", () => {
  const before = draft({});
  const there = reduceBuilder({ ...initialState(), draft: before }, { do: "openYaml", text: writeYaml(before) });
  const openForm = (state: typeof there) =>
    reduceBuilder(state, { do: "openForm", plan: readYaml(state.yaml.text).plan });
  const broken = reduceBuilder(there, { do: "type", text: "name: [" });
  expect(openForm(broken)).toEqual(broken);
  expect(reduceBuilder(broken, { do: "discardYaml" })).toMatchObject({ tab: "form", draft: before });
  const fixed = reduceBuilder(broken, { do: "type", text: plans["a grid with parameters"] ?? "" });
  expect(openForm(fixed)).toMatchObject({ tab: "form", draft: { name: "C" } });
});

test("starting from a preset can be undone", () => {
  const before = draft({ name: "mine" });
  const plan = parsePlan(plans["a base and axes"] ?? "");
  const started = reduceBuilder({ ...initialState(), draft: before }, { do: "start", plan });
  expect(started.draft.name).toBe("D");
  expect(reduceBuilder(started, { do: "undo" }).draft).toEqual(before);
});

test("an invalid text says line, field, value and limit", () => {
  const { issues } = readYaml(
    toYaml({ ...parsePlan(plans["named methods"] ?? ""), base: { optimizer: { learningRate: 7 } } }),
  );
  expect(issues).toEqual([
    { path: "base.optimizer.learningRate", message: "is 7, must be at most 1", line: expect.any(Number) },
  ]);
});

test("rules, draws and another trainer go through the form unharmed, though it has no fields for them", () => {
  const plan = parsePlan(`name: E
methods: [grpo]
environments: [{id: sokoban}]
base: {trainer: {name: mine, options: {bold: true}}, update: {epochs: 2}}
axes: {update.klPlacement: [loss, reward]}
when: {update.klPlacement: {method: grpo}}
exclude: [{update.klPlacement: reward, rollout.groupSize: 4}]
distributions: {sizes: {kind: choice, of: [4, 8]}}
sample: {count: 3, seed: 5, parameters: {rollout.groupSize: sizes}}
seeds: [0]
`);
  const { valid, issues } = checkDraft(fromPlan(plan));
  expect(issues).toEqual([]);
  expect(valid?.plan).toEqual(plan);
  expect(valid?.expansion).toEqual(expandPlan(plan));
});

const cut = startCorrection();
const withCorrections = (correction: Draft["grid"]["correction"]) =>
  draft({ methods: [], grid: { ...emptyDraft().grid, correction } });

test("a correction of the form is one of the grid, beside none, and its lists multiply", () => {
  const listed = { ...cut, weight: { ...cut.weight, values: { ...cut.weight.values, high: "2, 5" } } };
  const { valid } = checkDraft(withCorrections([listed, null]));
  expect(valid?.expansion.cells.map(({ spec }) => spec.method.correction?.weight)).toMatchObject([
    { kind: "clip", level: "token", high: 2 },
    { kind: "clip", level: "token", high: 5 },
    undefined,
  ]);
});

test("a kind that changes keeps the texts that fit, and begins the others with their defaults", () => {
  const zeroed = startPart("weight", "zero", { ...cut.weight, values: { ...cut.weight.values, high: "7" } });
  expect(zeroed).toMatchObject({ kind: "zero", values: { high: "7", level: "token", normalise: "false" } });
  expect(startPart("reject", "drift", zeroed)).toEqual({ kind: "drift", values: { delta: "0.05", anchor: "sampler" } });
});

const rejecting = (values: Record<string, string>) =>
  withCorrections([{ ...cut, reject: [startPart("reject", "veto", undefined), { kind: "row", values }] }]);

test.each<[what: string, form: Draft, field: string, message: string]>([
  ["no number", rejecting({ low: "x" }), "grid.correction.0.reject.1.low", '"x" is not a number'],
  ["a bound below 0", rejecting({ high: "-1" }), "grid.correction.0.reject.1.high", "is -1, must be at least 0"],
  [
    "a rejection without bounds",
    withCorrections([{ ...cut, reject: [startPart("reject", "veto", undefined)] }]),
    "grid.correction",
    "needs low, high or both",
  ],
])("%s in a correction is said at its field", (_, form, field, message) => {
  expect(checkDraft(form).issues[0]).toMatchObject({ field, message: expect.stringContaining(message) });
});

test("a mixture or curriculum begins with the chosen environments, and its wrong numbers are named at their fields", () => {
  const rooms = draftEnvironment(BuiltInEnvironment.parse({ id: "sokoban", size: 7 }));
  const shop = draftEnvironment(BuiltInEnvironment.parse({ id: "webshop" }));
  const mixture = startSeveral("mixture", [rooms, shop]);
  expect(checkDraft(draft({ environments: [mixture] })).valid?.plan.environments).toMatchObject([
    { id: "mixture", parts: [{ name: "sokoban", weight: 1, environment: { size: 7 } }, { name: "webshop" }] },
  ]);
  const curriculum = startSeveral("curriculum", [rooms]);
  expect(checkDraft(draft({ environments: [curriculum] })).valid?.plan.environments).toMatchObject([
    { phases: [{ name: "sokoban", until: { iterations: 50 } }, { name: "sokoban-2" }] },
  ]);
  const wrong = (change: Partial<PartDraft>): string[] => {
    const parts = (mixture.parts ?? []).map((part, i) => (i === 1 ? { ...part, ...change } : part));
    return checkDraft(draft({ environments: [{ ...mixture, parts }] })).issues.map(({ field }) => field);
  };
  expect(wrong({ weight: "none" })).toEqual(["environments.0.parts.1.weight"]);
  expect(wrong({ name: "sokoban" })).toEqual(["environments.0.parts.1.name"]);
  expect(wrong({ environment: { ...shop, values: { catalogueSize: "50, 100" } } })).toEqual([
    "environments.0.parts.1.name",
  ]);
});

test.each(BuiltInEnvironment.options.map(({ shape }) => shape.id.value))(
  "a mixture of %s alone begins with two different parts, the second with larger tasks",
  (id) => {
    const mixture = startSeveral("mixture", [draftEnvironment(BuiltInEnvironment.parse({ id }))]);
    const [first, second, ...others] = mixture.parts ?? [];
    expect(checkDraft(draft({ environments: [mixture] })).issues).toEqual([]);
    expect(others).toEqual([]);
    expect(second?.environment.values).not.toEqual(first?.environment.values);
  },
);

test("another kind of lag takes the fields of the last one away, so that the plan is one", () => {
  const lagging = setValue(setValue(draft({}), "rollout.lag.kind", "constant"), "rollout.lag.k", "4");
  expect(checkDraft(lagging).issues).toEqual([]);
  const uniform = setValue(lagging, "rollout.lag.kind", "uniform");
  expect(uniform.values).toEqual({ "rollout.lag.kind": "uniform" });
  expect(checkDraft(uniform).valid?.expansion.cells[0]?.spec.rollout.lag).toEqual({ kind: "uniform", max: 4 });
});

test("a task elsewhere without a title has its problem at that field", () => {
  const elsewhere = [{ name: "", numEpisodes: "", every: "", environment: { id: "custom" as const, values: {} } }];
  const { issues } = checkDraft({ ...emptyDraft(), elsewhere });
  expect(issues).toContainEqual({ field: "elsewhere.0.title", message: expect.stringContaining("is missing") });
});
