import type { RunSpec } from "#trainer/spec/run.ts";
import {
  always,
  namedModel,
  only,
  without,
  passedAdamW,
  passedRollout,
  plainEvaluation,
  wholeBudget,
  ownExecution,
  type Handling,
  type Handlings,
} from "../handling.ts";
import { taskElsewhere, taskHandlings } from "../task.ts";

const isConfigs = "the configuration file names the model";
const isEnvironments = "the environment that the configuration file names decides";
const hasNone = "the template does not set `evaluation: true`, which states that its file has evaluations";

const constant = {
  policy: namedModel(isConfigs),
  initialisation: without("the run starts from the model that the configuration file names"),
  reward: {
    invalidActionPenalty: without(isEnvironments),
    turnPenalty: without(isEnvironments),
    overlongPenalty: only([0], "prime-rl's length penalty is relative to the longest response of the group"),
    overlongBuffer: without("prime-rl's length penalty has no buffer"),
  },
  rollout: {
    shape: always(["transcript"], "prime-rl trains on the rows that an environment returns, usually one per episode"),
    ...passedRollout,
    historyLength: without(isEnvironments),
    lag: "passed",
  },
  update: {
    minibatchRows: "passed",
    epochs: only([1], "prime-rl trains on a step's rows once"),
    klCoef: only([0], "prime-rl's loss has no KL to a reference policy"),
    klEstimator: without("there is no KL to a reference policy"),
    klPlacement: without("there is no KL to a reference policy"),
    klTarget: only([null], "there is no KL to a reference policy"),
    klHorizon: without("there is no KL to a reference policy"),
    entropyCoef: only([0], "prime-rl's loss has no entropy bonus"),
    oldLogProbs: always(["sampler"], "prime-rl's ratio is to the sampler"),
    truncatedImportance: only([null], "prime-rl's ratio is to the sampler and has no weight"),
    denominatorRows: only([null], "prime-rl divides by the tokens of the step"),
  },
  optimizer: {
    ...passedAdamW,
    epsilon: only([1e-8], "its configuration has no field for AdamW's ε, which is 1e-8"),
  },
  budget: wholeBudget,
  execution: {
    provider: without("it runs on the GPUs that the configuration file names"),
    memoryLimitMb: without("its memory is set by the configuration's packing"),
    ...ownExecution,
    numSamples: without("it writes every rollout to its folder"),
    traces: without("it writes every rollout to its folder"),
    groups: without("it writes every rollout to its folder"),
  },
} satisfies Partial<Handlings>;

/** Passes settings of evaluations only if prime-rl's configuration file has evaluations. */
export function primeHandlings({ environment }: RunSpec, hasEvaluations: boolean): Handlings {
  const ifAny: Handling = hasEvaluations ? "passed" : without(hasNone);
  return {
    environment:
      environment.id === "custom"
        ? taskHandlings(taskElsewhere(isEnvironments))
        : Object.fromEntries(Object.keys(environment).map((name) => [name, without(isEnvironments)])),
    ...constant,
    evaluation: {
      ...plainEvaluation,
      every: ifAny,
      numEpisodes: ifAny,
      samplesPerTask: ifAny,
      unseenEpisodes: only([0], "it evaluates on the sets that its file names"),
      temperature: ifAny,
      topP: ifAny,
      topK: ifAny,
    },
  };
}
