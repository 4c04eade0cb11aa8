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
  type Handling,
  type Handlings,
} from "../handling.ts";
import type { Flavour } from "./part.ts";

const isCheckpoint = "the policy is the language model that the template names";

/** How ARLArena and verl-agent handle AdamW's settings: their configuration has no fields for β₁, β₂ and ε. */
export const fixedAdamW: Handlings["optimizer"] = {
  ...passedAdamW,
  beta1: only([0.9], "its configuration has no field for AdamW's β₁, which is 0.9"),
  beta2: only([0.999], "its configuration has no field for AdamW's β₂, which is 0.999"),
  epsilon: only([1e-8], "its configuration has no field for AdamW's ε, which is 1e-8"),
};

/** How verl, its forks and all recipes handle the settings on which they agree. */
export const commonHandlings = {
  policy: { ...namedModel(isCheckpoint), pretrained: "passed" },
  initialisation: without("the run starts from the language model that the template names"),
  evaluation: {
    ...plainEvaluation,
    numEpisodes: "passed",
    samplesPerTask: only([undefined, 1], "its environments play each held-out task once"),
  },
  budget: wholeBudget,
  execution: {
    provider: without("it runs on the GPUs that the template names"),
    memoryLimitMb: without("its memory is set by the recipe's micro-batches and offloading"),
    ...ownExecution,
    numSamples: without("it writes every rollout to the attempt's folder"),
    traces: without("it writes every rollout to the attempt's folder"),
    groups: without("it writes every rollout to the attempt's folder"),
  },
} satisfies Partial<Handlings>;

/** Returns how ARLArena's and verl-agent's trainers handle each setting, except for environment and method. */
export function verlHandlings(
  { trainer, microBatch }: Flavour,
  environment: Readonly<Record<string, Handling>>,
): Handlings {
  return {
    environment,
    ...commonHandlings,
    optimizer: fixedAdamW,
    reward: {
      invalidActionPenalty: "passed",
      turnPenalty: only([0], "there is no penalty for every turn"),
      overlongPenalty: only([0], "it comes only with an estimator that overrides the tries of dynamic sampling"),
      overlongBuffer: without("there is no overlong penalty whose buffer it would be"),
    },
    rollout: {
      shape: only([null, "windowed"], "its agents train every turn as one row"),
      ...passedRollout,
      historyLength: "passed",
    },
    update: {
      ...passedUpdate,
      truncatedImportance:
        trainer === "verl-agent" ? only([null], "verl-agent has no truncated importance sampling") : "passed",
      denominatorRows: always(
        [microBatch],
        `it averages inside micro-batches of ${microBatch} rows on each GPU, and then over these`,
      ),
    },
  };
}
