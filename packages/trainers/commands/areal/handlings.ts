import type { RunSpec } from "#trainer/spec/run.ts";
import { always, namedModel, only, ownSampler, without, type Handlings, ownEnvironment } from "../handling.ts";
import { taskElsewhere, taskHandlings } from "../task.ts";

const isConfigs = "the configuration file names the model";
const isScripts = "the script's workflow plays the episodes and its reward function judges them";

/** Handlings independent of other settings. */
const constant = {
  update: {
    minibatchRows: "passed",
    epochs: only([1], "AReaL passes over an iteration once"),
    klCoef: "passed",
    klEstimator: "passed",
    klPlacement: "passed",
    klTarget: only([null], "AReaL's KL coefficient is fixed"),
    klHorizon: without("AReaL's KL coefficient is fixed"),
    entropyCoef: only([0], "AReaL's loss has no entropy bonus"),
    oldLogProbs: "passed",
    truncatedImportance: "passed",
    denominatorRows: only([null], "AReaL divides by the tokens of the minibatch"),
  },
  optimizer: {
    learningRate: "passed",
    beta1: "passed",
    beta2: "passed",
    epsilon: "passed",
    weightDecay: "passed",
    maxGradientNorm: "passed",
  },
  evaluation: {
    every: "passed",
    numEpisodes: without("the configuration's set of held-out tasks decides"),
    templatePairs: only([undefined], "it keeps no pairs of prompts and responses to score against each other"),
    elsewhere: ownEnvironment,
    samplesPerTask: "passed",
    unseenEpisodes: only([0], "it evaluates on one set of held-out tasks"),
    temperature: "passed",
    topP: "passed",
    topK: "passed",
  },
  budget: {
    iterations: "passed",
    split: only([null], "it makes no demonstrations that a budget could be shared with"),
  },
  execution: {
    provider: without("it runs on the GPUs that the configuration file names"),
    memoryLimitMb: without("its memory is set by the configuration's micro-batches"),
    checkpointEvery: "passed",
    keep: without("the trainer decides which of its checkpoints it keeps"),
    numSamples: without("it writes every rollout to its folder"),
  },
} satisfies Partial<Handlings>;

/** Handling of each setting by AReaL's trainer, except the method's. */
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
      shape: always(["transcript"], "AReaL trains what its workflow returns, an episode a row in those that it has"),
      numGroups: "passed",
      groupSize: "passed",
      temperature: "passed",
      historyLength: without(isScripts),
      maxResponseTokens: "passed",
      ...ownSampler,
      lag: "passed",
    },
    ...constant,
  };
}
