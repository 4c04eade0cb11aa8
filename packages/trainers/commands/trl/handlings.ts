import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import {
  always,
  namedModel,
  only,
  ownSampler,
  without,
  type Handling,
  type Handlings,
  ownEnvironment,
} from "../handling.ts";
import { taskHandlings } from "../task.ts";

const isCheckpoint = "the script chooses the model";
const isScripts = "the script plays the environment";

/** Handlings independent of other settings. */
const constant = {
  policy: namedModel(isCheckpoint),
  initialisation: without("the script chooses the model and what it has seen"),
  reward: {
    invalidActionPenalty: without("the script's reward functions decide"),
    turnPenalty: without("the script's reward functions decide"),
    overlongPenalty: without("the script's reward functions decide"),
    overlongBuffer: without("the script's reward functions decide"),
  },
  update: {
    minibatchRows: "passed",
    epochs: "passed",
    klCoef: "passed",
    klEstimator: "passed",
    klPlacement: "passed",
    klTarget: only([null], "TRL's KL coefficient is fixed"),
    klHorizon: without("TRL's KL coefficient is fixed"),
    entropyCoef: "passed",
    oldLogProbs: always(["trainer"], "the trainer computes log-probabilities of the sampled tokens again"),
    truncatedImportance: "passed",
    denominatorRows: only([null], "TRL divides by the tokens or rows of the whole batch"),
  },
  optimizer: {
    learningRate: "passed",
    beta1: "passed",
    beta2: "passed",
    epsilon: "passed",
    weightDecay: "passed",
    maxGradientNorm: "passed",
  },
  budget: {
    iterations: "passed",
    split: only([null], "TRL's GRPO makes no demonstrations that a budget could be shared with"),
  },
  execution: {
    provider: without("the script chooses its devices"),
    memoryLimitMb: without("memory is set by the rows of a device"),
    checkpointEvery: "passed",
    keep: without("the trainer decides which of its checkpoints it keeps"),
    numSamples: without("the script decides what it writes down"),
  },
} satisfies Partial<Handlings>;

/** Handling of each setting by TRL's GRPO trainer, except the method's. */
export function trlHandlings({ environment, rollout }: RunSpec): Handlings {
  const sampledLike = (what: string) => `TRL evaluates with the sampling of training, whose ${what}`;
  return {
    environment: environmentOf(environment),
    ...constant,
    rollout: {
      // Null is the shape in the environment's paper, windows for most.
      shape:
        rollout.shape === null
          ? always(["transcript"], "TRL trains every completion as one row")
          : only(["transcript"], "TRL trains every completion as one row"),
      numGroups: "passed",
      groupSize: "passed",
      temperature: "passed",
      historyLength: without(isScripts),
      maxResponseTokens: "passed",
      ...ownSampler,
    },
    evaluation: {
      every: "passed",
      numEpisodes: without("the script's evaluation set decides"),
      templatePairs: only([undefined], "it keeps no pairs of prompts and responses to score against each other"),
      elsewhere: ownEnvironment,
      samplesPerTask: only([undefined, 1], "TRL's evaluation logs a mean reward and counts no task's samples"),
      unseenEpisodes: only([0], "TRL evaluates on one set"),
      temperature: always([rollout.temperature], sampledLike(`temperature is ${rollout.temperature}`)),
      topP: always([1], sampledLike("top-p is 1")),
      topK: always([0], sampledLike("top-k is off")),
    },
  };
}

function environmentOf(environment: EnvironmentSpec): Record<string, Handling> {
  if (environment.id !== "custom") {
    return Object.fromEntries(Object.keys(environment).map((name) => [name, without(isScripts)]));
  }
  const agentLoop = only([undefined], `TRL has no loops by name: ${isScripts}`);
  return taskHandlings({ dataFolder: "passed", rewardFunction: "passed", agentLoop, maxTurns: without(isScripts) });
}
