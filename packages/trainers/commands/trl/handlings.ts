import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
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
  ownExecution,
  type Handling,
  type Handlings,
} from "../handling.ts";
import { taskHandlings } from "../task.ts";

const isCheckpoint = "the script chooses the model";
const isScripts = "the script plays the environment";

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
    ...passedUpdate,
    klTarget: only([null], "TRL's KL coefficient is fixed"),
    klHorizon: without("TRL's KL coefficient is fixed"),
    denominatorRows: only([null], "TRL divides by the tokens or rows of the whole batch"),
  },
  optimizer: passedAdamW,
  budget: {
    iterations: "passed",
    split: only(
      [null],
      "TRL's GRPO makes no demonstrations, so a budget cannot be split between demonstrations and training",
    ),
  },
  execution: {
    provider: without("the script chooses its devices"),
    memoryLimitMb: without("memory is set by the rows of a device"),
    ...ownExecution,
    // TRL deletes no checkpoint, so that it keeps those that the plan names.
    keep: "passed",
    numSamples: without("the script decides what it writes down"),
    traces: without("the script decides what it writes down"),
    groups: without("the script decides what it writes down"),
  },
} satisfies Partial<Handlings>;

export function trlHandlings({ environment, rollout }: RunSpec): Handlings {
  const sampledLike = (what: string) => `TRL evaluates with the sampling of training, whose ${what}`;
  return {
    environment: environmentOf(environment),
    ...constant,
    rollout: {
      // If the shape is null, prompts have the form of the environment's paper, mostly `windowed`.
      shape:
        rollout.shape === null
          ? always(["transcript"], "TRL trains every completion as one training row")
          : only(["transcript"], "TRL trains every completion as one training row"),
      ...passedRollout,
      historyLength: without(isScripts),
    },
    evaluation: {
      ...plainEvaluation,
      numEpisodes: without("the script's evaluation set decides"),
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
