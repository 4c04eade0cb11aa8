import type { RunSpec } from "#trainer/spec/run.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import {
  always,
  only,
  without,
  passedRollout,
  passedUpdate,
  type Handling,
  type Handlings,
  type Remark,
} from "../handling.ts";
import { role } from "./part.ts";
import { divisorsOf, gcd, leastCommonMultiple, nearest, nearestMultiples } from "./divisors.ts";
import { commonHandlings } from "./handlings.ts";
import type { VerlSettings } from "./run.ts";

/** Returns how trainers with episodes as batch rows handle each setting; `parts` are specific to the trainer. */
export function episodeHandlings({ rollout }: RunSpec, parts: Pick<Handlings, "environment" | "optimizer">): Handlings {
  const decides = without("the reward function decides");
  return {
    ...commonHandlings,
    ...parts,
    evaluation: { ...commonHandlings.evaluation, samplesPerTask: "passed" },
    reward: {
      invalidActionPenalty: decides,
      turnPenalty: decides,
      overlongPenalty: only([0], "the reward function has no overlong penalty"),
      overlongBuffer: decides,
    },
    rollout: {
      // If `rollout.shape` is null, prompts have the form of the environment's paper.
      shape:
        rollout.shape === null
          ? always(["transcript"], "it trains every episode as one row")
          : only(["transcript"], "it trains every episode as one row"),
      ...passedRollout,
      historyLength: without("an episode is one growing text that shows all of it"),
    },
    update: {
      ...passedUpdate,
      denominatorRows: averaged,
    },
  };
}

const averaged: Handling = without("micro-batches are filled with tokens; each weighs by its share of the rows");

type Machines = Pick<VerlSettings, "gpus" | "machines">;

/**
 * verl counts batches in prompts, each with its group's responses (one without groups); GPUs get equal numbers of rows.
 */
export function batchArguments(
  { rollout, update, method }: RunSpec,
  { gpus, machines }: Machines,
): { overrides: string[]; problems: Remark[] } {
  const { hasCritic } = advantageTraits[method.advantage.kind];
  const [numPrompts, numSamples] = hasCritic
    ? [rollout.numGroups * rollout.groupSize, 1]
    : [rollout.numGroups, rollout.groupSize];
  const numRows = rollout.numGroups * rollout.groupSize;
  const rows = Math.min(update.minibatchRows, numRows);
  const numGpus = gpus * machines;
  const problems: Remark[] = [];
  if (numRows % numGpus !== 0) {
    const message = `${numRows} rows an iteration (${rollout.numGroups} groups of ${rollout.groupSize}) cannot be divided equally among ${numGpus} GPUs: take ${nearestMultiples(rollout.numGroups, numGpus / gcd(numGpus, rollout.groupSize))} groups`;
    problems.push({ path: "rollout.numGroups", message });
  }
  // Batches must consist of whole groups, be equal on all GPUs, and leave no remainder.
  const step = leastCommonMultiple(numSamples, numGpus);
  if (rows % step !== 0 || numRows % rows !== 0) {
    const fitting = divisorsOf(numRows).filter((one) => one % step === 0);
    const advice = fitting.length === 0 ? "no size fits these groups" : `take ${nearest(fitting, rows)}`;
    const message = `minibatches of ${rows} of ${numRows} rows are not whole groups of ${numSamples} divided equally among ${numGpus} GPUs: ${advice}`;
    problems.push({ path: "update.minibatchRows", message });
  }
  return {
    overrides: [
      `data.train_batch_size=${numPrompts}`,
      `${role}.rollout.n=${numSamples}`,
      `${role}.actor.ppo_mini_batch_size=${Math.max(1, Math.floor(rows / numSamples))}`,
      `${role}.rollout.temperature=${rollout.temperature}`,
      `${role}.actor.use_dynamic_bsz=True`,
    ],
    problems,
  };
}

/** Returns the overrides for the run's length: an iteration is one trainer step, for a dataset of any size. */
export function lengthArguments({ budget }: RunSpec): string[] {
  return [
    `trainer.total_epochs=${Math.max(1, budget.iterations)}`,
    `trainer.total_training_steps=${budget.iterations}`,
  ];
}
