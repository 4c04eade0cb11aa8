import type { RunSpec } from "#trainer/spec/run.ts";
import {
  always,
  namedModel,
  only,
  without,
  passedAdamW,
  passedRollout,
  passedUpdate,
  plainEvaluation,
  wholeBudget,
  ownExecution,
  type Handlings,
} from "../handling.ts";
import { taskElsewhere, taskHandlings } from "../task.ts";

const isConfigs = "the configuration file names the model";
const isScripts = "the script's workflow plays the episodes and its reward function judges them";

const constant = {
  update: {
    ...passedUpdate,
    epochs: only([1], "AReaL makes a single pass over the training rows of an iteration"),
    klTarget: only([null], "AReaL's KL coefficient is fixed"),
    klHorizon: without("AReaL's KL coefficient is fixed"),
    entropyCoef: only([0], "AReaL's loss has no entropy bonus"),
    oldLogProbs: "passed",
    denominatorRows: only([null], "AReaL divides by the tokens of the minibatch"),
  },
  optimizer: passedAdamW,
  evaluation: {
    ...plainEvaluation,
    numEpisodes: without("the configuration's set of held-out tasks decides"),
    samplesPerTask: "passed",
  },
  budget: wholeBudget,
  execution: {
    provider: without("it runs on the GPUs that the configuration file names"),
    memoryLimitMb: without("its memory is set by the configuration's micro-batches"),
    ...ownExecution,
    numSamples: without("it writes every rollout to its folder"),
    traces: without("it writes every rollout to its folder"),
    groups: without("it writes every rollout to its folder"),
  },
} satisfies Partial<Handlings>;

export function arealHandlings({ environment }: RunSpec): Handlings {
  return {
    environment:
      environment.id === "custom"
        ? taskHandlings({ ...taskElsewhere(isScripts), dataFolder: "passed" })
        : Object.fromEntries(Object.keys(environment).map((name) => [name, without(isScripts)])),
    policy: namedModel(isConfigs),
    initialisation: without("the run starts from the model that the configuration file names"),
    reward: {
      invalidActionPenalty: without(isScripts),
      turnPenalty: without(isScripts),
      overlongPenalty: "passed",
      overlongBuffer: "passed",
    },
    rollout: {
      shape: always(
        ["transcript"],
        "AReaL trains on the rows that its workflow returns; in AReaL's own workflows, a row is an episode",
      ),
      ...passedRollout,
      historyLength: without(isScripts),
      lag: "passed",
    },
    ...constant,
  };
}
