import { describe, expect, it } from "vitest";
import { conflictsOf } from "./conflicts.ts";
import { methodNames, methodOf, type MethodName } from "./method.ts";
import { EnvironmentSpec } from "./environment.ts";
import { CellSpec } from "./run.ts";

type Change = Record<string, unknown>;

function pathsOf(method: MethodName | Change, change: Change = {}): string[] {
  const four = typeof method === "string" ? methodOf(method) : { ...methodOf("grpo"), ...method };
  return conflictsOf(CellSpec.parse({ environment: { id: "sokoban" }, method: four, ...change })).map(
    (conflict) => conflict.path,
  );
}

const half = { split: { units: 1000, demonstrationShare: 0.5 } };

const rooms = { environment: { id: "sokoban" } };
const shop = { environment: { id: "webshop" } };
const curriculum = (...ends: (object | undefined)[]) => ({
  id: "curriculum",
  phases: ends.map((until, i) => ({ name: `phase-${i}`, ...rooms, ...(until && { until }) })),
});
const partConflicts = (
  [
    ["two parts with one name", { id: "mixture", parts: [rooms, shop, rooms] }, "environment.parts[2].name"],
    [
      "parts of different shapes",
      { id: "mixture", parts: [rooms, { environment: { id: "textworld" } }] },
      "rollout.shape",
    ],
    ["a phase without an end", curriculum(undefined, undefined), "environment.phases[0].until"],
    ["a phase with an empty end", curriculum({}, undefined), "environment.phases[0].until"],
    ["an end of the last phase", curriculum({ success: 0.5 }, { iterations: 5 }), "environment.phases[1].until"],
    [
      "phases that leave the last one no iteration",
      curriculum({ iterations: 150 }, { iterations: 50 }, undefined),
      "environment.phases[1].until.iterations",
    ],
  ] as const
).map(([what, environment, path]) => ({ what, method: "grpo" as const, change: { environment }, path }));

describe("every named method", () => {
  it.each(methodNames)("%s has no conflict with the defaults", (name) => expect(pathsOf(name)).toEqual([]));
});

describe("refused", () => {
  it.each<{ what: string; method: MethodName | Change; change: Change; path: string }>([
    {
      what: "leave-one-out without others",
      method: "rloo",
      change: { rollout: { groupSize: 1 } },
      path: "rollout.groupSize",
    },
    ...["dynamic", "oversample", "minSpread", "topSpread", "topVarianceMass"].map((kind) => ({
      what: `${kind} sampling of groups of one`,
      method: { sampling: { kind } },
      change: { rollout: { groupSize: 1 } },
      path: "rollout.groupSize",
    })),
    {
      what: "two evaluations elsewhere with one name",
      method: "grpo",
      change: { evaluation: { elsewhere: [{ environment: { id: "webshop" } }, { environment: { id: "webshop" } }] } },
      path: "evaluation.elsewhere[1].name",
    },
    {
      what: "demonstrations of other environments where there are none",
      method: "grpo",
      change: { initialisation: { kind: "demonstrations", environments: "others" } },
      path: "initialisation.environments",
    },
    ...partConflicts,
    {
      what: "a context beside a built-in policy",
      method: "grpo",
      change: { policy: { contextTokens: 2048 } },
      path: "policy.contextTokens",
    },
    {
      what: "adapters beside a built-in policy",
      method: "grpo",
      change: { policy: { loraRank: 8 } },
      path: "policy.loraRank",
    },
    {
      what: "positions beside a pretrained model",
      method: "grpo",
      change: { policy: { pretrained: "/models/a", positions: "rotary" } },
      path: "policy.positions",
    },
    {
      what: "a context that a response fills",
      method: "grpo",
      change: { policy: { pretrained: "/models/a", contextTokens: 256 }, rollout: { maxResponseTokens: 256 } },
      path: "policy.contextTokens",
    },
    {
      what: "a scale of adapters that nobody asked for",
      method: "grpo",
      change: { policy: { pretrained: "/models/a", loraAlpha: 16 } },
      path: "policy.loraAlpha",
    },
    {
      what: "targets of adapters that nobody asked for",
      method: "grpo",
      change: { policy: { pretrained: "/models/a", loraTargets: "all" } },
      path: "policy.loraTargets",
    },
    {
      what: "a rounded sampler beside adapters",
      method: "grpo",
      change: { policy: { pretrained: "/models/a", loraRank: 8 }, rollout: { samplerPrecision: "int8" } },
      path: "rollout.samplerPrecision",
    },
    {
      what: "a discount beside the group's baseline",
      method: { advantage: { kind: "reinforcePlusPlus", baseline: "group", gamma: 0.9 } },
      change: {},
      path: "method.advantage.gamma",
    },
    ...["k1+", "abs+", "k3+"].map((klEstimator) => ({
      what: `${klEstimator} in the reward`,
      method: "grpo" as const,
      change: { update: { klPlacement: "reward", klEstimator } },
      path: "update.klEstimator",
    })),
    {
      what: "a KL target for a KL in the loss",
      method: "grpo",
      change: { update: { klTarget: 0.1 } },
      path: "update.klTarget",
    },
    {
      what: "an importance weight of the sampler's own log-probabilities",
      method: "grpo",
      change: { update: { truncatedImportance: 2 } },
      path: "update.truncatedImportance",
    },
    {
      what: "truncated importance sampling twice",
      method: { correction: { weight: { kind: "raw" } } },
      change: { update: { truncatedImportance: 2, oldLogProbs: "trainer" } },
      path: "update.truncatedImportance",
    },
    {
      what: "a weight on a ratio that is to the sampler already",
      method: { correction: { proximal: "sampler", weight: { kind: "raw" } } },
      change: {},
      path: "method.correction.weight",
    },
    {
      what: "a weight beside a clipping that is around the sampler",
      method: { clipping: { kind: "divergence", anchor: "sampler" }, correction: { weight: { kind: "raw" } } },
      change: {},
      path: "method.correction.weight",
    },
    {
      what: "a row's weight inside another weight of the row",
      method: { clipping: { kind: "vespo" }, correction: { weight: { kind: "raw", level: "row" } } },
      change: {},
      path: "method.correction.weight.level",
    },
    {
      what: "two masks by drift",
      method: { clipping: methodOf("grpoSm").clipping, correction: { reject: [{ kind: "drift" }] } },
      change: {},
      path: "method.correction.reject",
    },
    {
      what: "an empty interval",
      method: { correction: { reject: [{ kind: "veto", low: 2, high: 1 }] } },
      change: {},
      path: "method.correction.reject[0]",
    },
    {
      what: "a weight without a bound",
      method: { correction: { weight: { kind: "clip" } } },
      change: {},
      path: "method.correction.weight",
    },
    ...[
      { dual: 3, twoSided: 4 },
      { dual: null, twoSided: 1.1 },
    ].map((bounds) => ({
      what: `a two-sided clip at ${bounds.twoSided} with a dual clip of ${bounds.dual}`,
      method: { clipping: { kind: "token", low: 0.2, high: 0.2, ...bounds } },
      change: {},
      path: "method.clipping.twoSided",
    })),
    {
      what: "micro-batch means of a geometric mean",
      method: "gmpo",
      change: { update: { denominatorRows: 8 } },
      path: "update.denominatorRows",
    },
    {
      what: "a share for demonstrations that are not used",
      method: "grpo",
      change: { initialisation: { kind: "scratch" }, budget: half },
      path: "budget.split",
    },
    {
      what: "a split beside rejection fine-tuning",
      method: "grpo",
      change: { initialisation: { kind: "rejection" }, budget: half },
      path: "budget.split",
    },
    ...["dynamic", "oversample"].map((kind) => ({
      what: `a split beside ${kind} sampling`,
      method: { sampling: { kind } },
      change: { budget: half },
      path: "budget.split",
    })),
    ...[
      { iterations: 5 },
      // Half of 1,000 units pays for three iterations of 16 × 8 episodes.
      half,
    ].map((budget) => ({
      what: `critic warm-up that outlasts ${JSON.stringify(budget)}`,
      method: { advantage: { kind: "gae", criticWarmupIterations: 5 } },
      change: { budget },
      path: "method.advantage.criticWarmupIterations",
    })),
  ])("$what", ({ method, change, path }) => expect(pathsOf(method, change)).toEqual([path]));

  it("where another trainer is to mix environments", () => {
    const environment = { id: "mixture", parts: [rooms, shop] };
    expect(pathsOf("grpo", { environment })).toEqual([]);
    expect(pathsOf("grpo", { environment, trainer: { name: "verl" } })).toEqual(["environment.id"]);
    expect(
      pathsOf("grpo", { environment: curriculum({ iterations: 150, success: 0.9 }, { success: 1 }, undefined) }),
    ).toEqual([]);
  });

  it("where a mixture has one part, a part inside a part, or no weight", () => {
    const problemOf = (parts: object[]): string | undefined =>
      EnvironmentSpec.safeParse({ id: "mixture", parts }).error?.issues[0]?.message;
    expect(problemOf([rooms])).toBe("has fewer than 2 parts; write the environment alone instead");
    expect(problemOf([rooms, { ...shop, weight: 0 }])).toContain(">=0.001");
    expect(problemOf([rooms, { environment: { id: "mixture", parts: [rooms, shop] } }])).toBeDefined();
  });

  it("with a reason of its own words and numbers", () => {
    const cell = CellSpec.parse({
      environment: { id: "sokoban" },
      method: { ...methodOf("ppo"), advantage: { kind: "gae", criticWarmupIterations: 9 } },
      budget: { iterations: 4 },
    });
    expect(conflictsOf(cell)).toEqual([
      {
        path: "method.advantage.criticWarmupIterations",
        message: "is 9, must be below the run's 4 iterations: the policy does not learn during critic warm-up",
      },
    ]);
  });

  it("all at once, so that one correction does not uncover the next", () => {
    const change = { rollout: { groupSize: 1 }, update: { klTarget: 0.1 }, budget: half };
    expect(pathsOf({ advantage: { kind: "rloo" }, sampling: { kind: "dynamic" } }, change)).toEqual([
      "rollout.groupSize",
      "rollout.groupSize",
      "update.klTarget",
      "budget.split",
    ]);
  });
});

describe("allowed, though close to what is refused", () => {
  it.each<{ what: string; method: MethodName | Change; change: Change }>([
    {
      what: "a long response of a pretrained model with adapters",
      method: "grpo",
      change: {
        policy: {
          pretrained: "C:\\models\\a",
          contextTokens: 4096,
          loraRank: 8,
          loraAlpha: 16,
          loraTargets: "attention",
        },
        rollout: { maxResponseTokens: 2048 },
      },
    },
    { what: "groups of one without comparison", method: "ppo", change: { rollout: { groupSize: 1 } } },
    { what: "GRPO over groups of one", method: "grpo", change: { rollout: { groupSize: 1 } } },
    {
      what: "an adaptive KL in the reward",
      method: "ppo",
      change: { update: { klPlacement: "reward", klEstimator: "k1", klTarget: 0.1 } },
    },
    { what: "a straight-through KL in the loss", method: "grpo", change: { update: { klEstimator: "k3+" } } },
    { what: "micro-batch means of token ratios", method: "grpo", change: { update: { denominatorRows: 8 } } },
    {
      what: "all of a split for learning, from scratch",
      method: "grpo",
      change: { initialisation: { kind: "scratch" }, budget: { split: { units: 1000, demonstrationShare: 0 } } },
    },
    {
      what: "a split beside a filter that does not regenerate",
      method: { sampling: { kind: "topSpread" } },
      change: { budget: half },
    },
    {
      what: "critic warm-up that ends one iteration before the run",
      method: { advantage: { kind: "gae", criticWarmupIterations: 4 } },
      change: { budget: { iterations: 5 } },
    },
    {
      what: "critic warm-up in a run that only clones",
      method: { advantage: { kind: "gae", criticWarmupIterations: 4 } },
      change: { budget: { iterations: 0 } },
    },
  ])("$what", ({ method, change }) => expect(pathsOf(method, change)).toEqual([]));
});

it("refuses states to keep beyond the run's iterations", () => {
  const problemsOf = (keep: unknown, budget: object = { iterations: 20 }, trainer?: object) =>
    conflictsOf(
      CellSpec.parse({ ...rooms, method: methodOf("grpo"), budget, execution: { keep }, ...(trainer && { trainer }) }),
    ).map(({ path, message }) => `${path}: ${message}`);
  expect(problemsOf([0, 20, 21])).toEqual([
    "execution.keep[2]: is 21, must be at most 20, the run's number of iterations",
  ]);
  expect(problemsOf({ every: 30 })).toEqual([
    "execution.keep.every: is 30, must be at most 20, the run's number of iterations",
  ]);
  expect(problemsOf({ every: 20 })).toEqual([]);
  for (const name of ["verl", "trl", "my-program"]) {
    expect(problemsOf([20, 21], { iterations: 20 }, { name })).toEqual([
      "execution.keep[1]: is 21, must be at most 20, the run's number of iterations",
    ]);
  }
});

it("refuses loop-aware control where no rejected response can be trained on, or none can differ", () => {
  const problemsOf = (loopControl: string, change: { rollout?: object; [field: string]: unknown } = {}) =>
    conflictsOf(
      CellSpec.parse({ ...rooms, method: methodOf("grpo"), ...change, rollout: { loopControl, ...change.rollout } }),
    ).map(({ path, message }) => `${path}: ${message}`);
  const [transcript, greedy] = [{ rollout: { shape: "transcript" } }, { evaluation: { temperature: 0 } }];
  const single = { evaluation: { topK: 1 } };
  for (const value of ["none", "training", "evaluation", "both"]) expect(problemsOf(value)).toEqual([]);
  for (const value of ["training", "both"]) {
    expect(problemsOf(value, transcript)).toEqual([
      expect.stringMatching(`^rollout.loopControl: is ${value}, but a training row is a whole episode`),
    ]);
    expect(problemsOf(value, { environment: { id: "textworld" } })).toHaveLength(1);
  }
  for (const value of ["evaluation", "both"]) {
    expect(problemsOf(value, greedy)).toEqual([
      expect.stringMatching(`^rollout.loopControl: is ${value}, but evaluation is greedy .evaluation.temperature is 0`),
    ]);
    expect(problemsOf(value, single)).toEqual([
      expect.stringMatching(`^rollout.loopControl: is ${value}, but evaluation is greedy .evaluation.topK is 1`),
    ]);
    expect(problemsOf(value, { evaluation: { temperature: 0, topK: 1 } })).toHaveLength(1);
    expect(problemsOf(value, { evaluation: { topK: 2 } })).toEqual([]);
  }
  expect([problemsOf("evaluation", transcript), problemsOf("training", greedy)]).toEqual([[], []]);
  expect(problemsOf("training", single)).toEqual([]);
  const unknown = CellSpec.safeParse({ ...rooms, method: methodOf("grpo"), rollout: { loopControl: "always" } });
  expect(unknown.error?.issues.map(({ path }) => path.join("."))).toEqual(["rollout.loopControl"]);
});

it("states the values that a mixture or a curriculum cannot have", () => {
  const messagesOf = (environment: object) =>
    conflictsOf(CellSpec.parse({ environment, method: methodOf("grpo") })).map(({ message }) => message);
  expect(messagesOf(curriculum({ success: 0.5 }, { iterations: 5 }))).toEqual([
    "is { iterations: 5 }, but the last phase lasts to the end of the run; leave until out",
  ]);
  expect(messagesOf(curriculum({ iterations: 150 }, { iterations: 50 }, undefined))).toEqual([
    expect.stringMatching(/^is 50; the phases before the last one take 200 iterations, but the run has only 200/),
  ]);
  expect(messagesOf({ id: "mixture", parts: [rooms, { environment: { id: "textworld" } }] })).toEqual([
    expect.stringMatching(/^is null, but the environments have different rollout shapes/),
  ]);
  const named = EnvironmentSpec.safeParse({ id: "mixture", parts: [{ ...rooms, name: "a b" }, shop] });
  expect(named.error?.issues.map(({ message }) => message)).toEqual([expect.stringMatching(/^is "a b", must be 1 to/)]);
});
