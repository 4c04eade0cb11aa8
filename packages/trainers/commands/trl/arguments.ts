import { effectiveAggregation, penaltyAggregationOf, type Method } from "#trainer/spec/method.ts";
import { originOf } from "#trainer/spec/origin.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { sequenceMaskOf } from "#trainer/spec/traits.ts";
import { type Begins, endsEarly } from "../beginning.ts";
import { judgeSettings, type Remark, type Remarks } from "../handling.ts";
import { keptOf } from "../keptCheckpoints.ts";
import type { Task } from "../task.ts";
import { samplerPairs, type Pair } from "./correction.ts";
import { trlHandlings } from "./handlings.ts";

/** `modules`: folder with the Python file of the reward function. */
type TrlArguments = Remarks & { arguments: string[]; modules?: string };

/**
 * `processes`: number of training processes. `rowsPerDevice`: batch rows per process in a micro-batch; default: a
 * number that fits.
 */
type TrlDevices = { processes: number; rowsPerDevice?: number | undefined };

type TrlSettings = TrlDevices & {
  outputFolder: string;
  task?: Task;
  /** Option of TRL's script that names the model, including its dashes. */
  modelArgument?: string | undefined;
  beginning?: Begins | undefined;
};

/**
 * Translates a specification for TRL's GRPOConfig, as `--name value` pairs. TRL has batch rows, but no turns or
 * environments, which its script defines. TRL's steps are optimizer steps, several per iteration.
 */
export function trlArguments(
  spec: RunSpec,
  { outputFolder, task, modelArgument, beginning, ...devices }: TrlSettings,
): TrlArguments {
  const { method, rollout, optimizer, update, budget, evaluation, execution } = spec;
  const { notes, problems } = judgeSettings(spec, trlHandlings(spec));
  problems.push(...keptOf(spec).problems);
  const batch = batchOf(spec, devices, problems);
  const stepsOf = (iterations: number): number => Math.round(iterations * batch.stepsPerIteration);
  const isBranch = beginning?.kind === "branch";
  const done = isBranch ? iterationsDone(spec, { beginning, devices, problems }) : 0;
  const pairs: Pair[] = [
    ["output_dir", outputFolder],
    ["seed", spec.seed],
    ["max_steps", stepsOf(budget.iterations - done) + (isBranch ? beginning.iteration : 0)],
    ["learning_rate", optimizer.learningRate],
    // TRL's default learning rate decays linearly to 0; the specification's is constant.
    ["lr_scheduler_type", "constant"],
    ["adam_beta1", optimizer.beta1],
    ["adam_beta2", optimizer.beta2],
    ["adam_epsilon", optimizer.epsilon],
    ["weight_decay", optimizer.weightDecay],
    ["max_grad_norm", optimizer.maxGradientNorm],
    ...batch.pairs,
    ["num_generations", rollout.groupSize],
    ["temperature", rollout.temperature],
    ["max_completion_length", rollout.maxResponseTokens],
    ["num_iterations", update.epochs],
    ["beta", klOf(spec, problems)],
    ["use_bias_correction_kl", update.klEstimator === "k3w"],
    ["entropy_coef", update.entropyCoef],
    ...samplerPairs(spec, problems),
    ["eval_strategy", "steps"],
    // A branch is not evaluated at its start, because its origin has already evaluated this policy.
    ["eval_on_start", !isBranch],
    ["eval_steps", stepsOf(evaluation.every)],
    // One episode per held-out task, as with the built-in trainer; TRL would sample as often as in training.
    ["num_generations_eval", 1],
    ...checkpointsOf(execution.checkpointEvery, stepsOf),
    ["logging_steps", 1],
    ...(isBranch ? [["resume_from_checkpoint", beginning.path] satisfies Pair] : []),
    ...(beginning?.kind === "start" && modelArgument !== undefined
      ? [[modelArgument.slice(2), beginning.path] satisfies Pair]
      : []),
    ...taskPairs(task),
    ...lossOf(spec, { notes, problems }),
    ...advantageOf(method, { notes, problems }),
  ];
  if (method.sampling.kind !== "all")
    problems.push({ path: "method.sampling.kind", message: "TRL resamples no groups" });
  const modules = task?.reward?.file?.replace(/\/[^/]*$/, "");
  return {
    arguments: pairs.flatMap(([name, value]) => [`--${name}`, write(value)]),
    ...(modules !== undefined && { modules }),
    notes,
    problems,
  };
}

type Done = { beginning: Begins; devices: TrlDevices; problems: Remark[] };

/** Returns the number of iterations that the origin had trained at the step after which the branch begins. */
function iterationsDone(spec: RunSpec, { beginning, devices, problems }: Done): number {
  const origin = originOf(spec);
  if (!origin) return 0;
  const { run, iteration: step } = beginning;
  const done = iterationsAt(origin.spec, step, devices);
  const within = Math.round((done % 1) * stepsPerIteration(origin.spec, devices));
  if (within > 0) {
    const message = `${step} is refused: it is within an iteration of ${run}; take ${step - within}`;
    problems.push({ path: "initialisation.iteration", message });
  }
  const { iterations } = spec.budget;
  if (iterations <= done) problems.push({ path: "budget.iterations", message: endsEarly(iterations, step, done) });
  return done;
}

/** Iterations trained at a step. A branch may have other steps per iteration than its origin. */
function iterationsAt(spec: RunSpec, step: number, devices: TrlDevices): number {
  const origin = originOf(spec);
  const isBranch = origin?.kind === "branch";
  const [from, before] = isBranch ? [origin.iteration, iterationsAt(origin.spec, origin.iteration, devices)] : [0, 0];
  return before + (step - from) / stepsPerIteration(spec, devices);
}

const stepsPerIteration = (spec: RunSpec, devices: TrlDevices): number => batchOf(spec, devices, []).stepsPerIteration;

/** Returns the arguments of TRL's own GRPO script for data (a folder) and reward function. */
function taskPairs({ dataFolder, reward }: Partial<Task> = {}): Pair[] {
  const module = reward?.file?.replace(/^.*\/|\.py$/g, "");
  return [
    ...(dataFolder === undefined ? [] : [["dataset_name", dataFolder] satisfies Pair]),
    ...(reward === undefined
      ? []
      : [["reward_funcs", module === undefined ? reward.name : `${module}.${reward.name}`] satisfies Pair]),
  ];
}

function write(value: Pair[1]): string {
  return typeof value === "boolean" ? (value ? "True" : "False") : String(value);
}

/** Maximum number of batch rows per device and micro-batch if the template states none. */
const usualRowsPerDevice = 8;

/** Groups generated at once, batch rows per optimizer step, and each device's share of them. */
function batchOf(
  { rollout, update }: RunSpec,
  { processes, rowsPerDevice }: TrlDevices,
  problems: Remark[],
): { pairs: Pair[]; stepsPerIteration: number } {
  const numRows = rollout.numGroups * rollout.groupSize;
  const stepRows = Math.min(update.minibatchRows, numRows);
  const refuse = (message: string): void => void problems.push({ path: "update.minibatchRows", message });
  if (numRows % stepRows !== 0) {
    refuse(`${stepRows} does not divide the ${numRows} rows of an iteration, and TRL allows no remainder`);
  }
  if (stepRows % processes !== 0) {
    refuse(`${stepRows} cannot be divided among the template's ${processes} processes`);
  }
  const rowsOfProcess = Math.max(1, Math.floor(stepRows / processes));
  const perDevice = rowsPerDevice ?? largestDivisor(rowsOfProcess, usualRowsPerDevice);
  if (rowsOfProcess % perDevice !== 0) {
    refuse(`${stepRows} gives ${rowsOfProcess} rows per process, which its ${perDevice} rows per device do not divide`);
  }
  return {
    pairs: [
      ["generation_batch_size", numRows],
      ["per_device_train_batch_size", perDevice],
      ["gradient_accumulation_steps", Math.max(1, Math.floor(rowsOfProcess / perDevice))],
    ],
    stepsPerIteration: Math.max(1, Math.floor(numRows / stepRows)) * update.epochs,
  };
}

function largestDivisor(of: number, atMost: number): number {
  for (let divisor = Math.min(of, atMost); divisor > 1; divisor--) if (of % divisor === 0) return divisor;
  return 1;
}

function klOf({ update }: RunSpec, problems: Remark[]): number {
  if (update.klCoef > 0 && update.klPlacement !== "loss") {
    problems.push({ path: "update.klPlacement", message: "reward is refused: TRL's KL is a term of the loss" });
  }
  if (update.klCoef > 0 && update.klEstimator !== "k3" && update.klEstimator !== "k3w") {
    problems.push({
      path: "update.klEstimator",
      message: `${update.klEstimator} is refused: TRL's KL is k3, with or without the ratio as a weight`,
    });
  }
  return update.klCoef;
}

function checkpointsOf(every: number, stepsOf: (iterations: number) => number): Pair[] {
  return every === 0 ? [["save_strategy", "no"]] : [["save_steps", stepsOf(every)]];
}

const means = {
  tokenMean: "dapo",
  seqMeanTokenMean: "grpo",
  seqMeanTokenSumNorm: "dr_grpo",
  // LUSPO's ratio is per response; with a ratio per token, only its sum over a response's tokens remains.
  seqMeanTokenSum: "luspo",
  tokenSum: undefined,
} as const;

function lossOf(spec: RunSpec, { notes, problems }: Remarks): Pair[] {
  const { method, rollout, update } = spec;
  const { clipping } = method;
  const aggregation = effectiveAggregation(method);
  const mean = means[aggregation];
  if (mean === undefined) {
    problems.push({ path: "method.aggregation", message: `TRL has no aggregation ${aggregation}` });
  }
  notes.push(...notePenalties(spec, aggregation));
  if (method.aggregation !== aggregation) {
    const message = `${method.aggregation} is not passed: this loss aggregates by ${aggregation} in the studio and in TRL`;
    notes.push({ path: "method.aggregation", message });
  }
  if (mean === "dapo" && update.minibatchRows < rollout.numGroups * rollout.groupSize) {
    const message = `tokenMean: TRL divides the tokens of every minibatch by their average over the iteration, not by the minibatch's own`;
    notes.push({ path: "method.aggregation", message });
  }
  const mask = sequenceMaskOf(clipping);
  if (mask) {
    const message = "TRL's denominator includes the tokens of masked training rows";
    notes.push({ path: "method.clipping.sequenceMask", message });
  }
  const masked: Pair[] = mask ? [["off_policy_mask_threshold", mask.delta]] : [];
  return [...clippingPairs(method, mean ?? "grpo", problems), ...masked];
}

/** TRL aggregates KL like the loss, and entropy by a mean over the micro-batch's tokens. */
function notePenalties({ method, update }: RunSpec, aggregation: Method["aggregation"]): Remark[] {
  const asked = penaltyAggregationOf(method);
  const differing = [
    ...(update.klCoef > 0 && asked !== aggregation ? [`KL as the policy term, by ${aggregation}`] : []),
    ...(update.entropyCoef > 0 && asked !== "tokenMean" ? ["entropy by tokenMean"] : []),
  ];
  if (differing.length === 0) return [];
  const message = `${asked} is not passed: TRL aggregates ${differing.join(" and ")}`;
  return [{ path: "method.penaltyAggregation", message }];
}

function clippingPairs({ clipping, aggregation }: Method, mean: string, problems: Remark[]): Pair[] {
  switch (clipping.kind) {
    case "token":
      return [
        ["loss_type", mean],
        ["epsilon", clipping.low],
        ["epsilon_high", clipping.high],
        ...deltaOf(clipping.twoSided ?? clipping.dual),
      ];
    case "sequence":
      if (clipping.credit === "token") {
        problems.push({
          path: "method.clipping.credit",
          message: "TRL gives each training row one ratio and one advantage",
        });
      }
      return sequencePairs(clipping, mean);
    case "cispo":
      // The specification's bound is a half-width around 1; TRL's is an absolute maximum, without a lower one.
      if (clipping.low < 1) {
        const message = `${clipping.low} is refused: TRL's CISPO has no lower bound, which is 1 here`;
        problems.push({ path: "method.clipping.low", message });
      }
      requireMean({ name: "CISPO", theirs: "tokenMean" }, aggregation, problems);
      return [
        ["loss_type", "cispo"],
        ["epsilon_high", 1 + clipping.high],
      ];
    case "sapo":
      requireMean({ name: "SAPO", theirs: "seqMeanTokenMean" }, aggregation, problems);
      return [
        ["loss_type", "sapo"],
        ["sapo_temperature_pos", clipping.tauPositive],
        ["sapo_temperature_neg", clipping.tauNegative],
      ];
    case "vespo":
      requireMean({ name: "VESPO", theirs: "tokenMean" }, aggregation, problems);
      return [
        ["loss_type", "vespo"],
        ["vespo_k_pos", clipping.kPositive],
        ["vespo_lambda_pos", clipping.lambdaPositive],
        ["vespo_k_neg", clipping.kNegative],
        ["vespo_lambda_neg", clipping.lambdaNegative],
      ];
    case "aepo":
    case "geometricMean":
    case "clipCov":
    case "klCov":
    case "divergence":
    case "quadratic":
    case "quadraticLog":
    case "aspo":
    case "gradientPreserving":
    case "turn":
    case "score":
    case "ratio":
      problems.push({ path: "method.clipping.kind", message: `TRL has no ${clipping.kind} clipping` });
      return [];
  }
}

/** Returns TRL's bound on the unclipped ratio for negative advantages, which is the two-sided or the dual clip. */
function deltaOf(bound: number | null): Pair[] {
  return bound === null ? [] : [["delta", bound]];
}

function requireMean(
  { name, theirs }: { name: string; theirs: Method["aggregation"] },
  aggregation: Method["aggregation"],
  problems: Remark[],
): void {
  if (aggregation === theirs) return;
  const message = `TRL's ${name} aggregates by ${theirs}, not by ${aggregation}`;
  problems.push({ path: "method.aggregation", message, instead: theirs });
}

/** Returns the settings of GSPO, or of LUSPO if the loss is summed over a response's tokens. */
function sequencePairs({ low, high }: { low: number; high: number }, mean: string): Pair[] {
  return [
    ["loss_type", mean === "luspo" ? "luspo" : "grpo"],
    ["importance_sampling_level", "sequence"],
    ["epsilon", low],
    ["epsilon_high", high],
  ];
}

function advantageOf({ advantage }: Method, { notes, problems }: Remarks): Pair[] {
  if (advantage.kind !== "group") {
    problems.push({ path: "method.advantage.kind", message: `TRL's GRPO has no ${advantage.kind} advantage` });
    return [];
  }
  if (advantage.samples === "turns") {
    const path = "method.advantage.samples";
    notes.push({
      path,
      message: `turns is not passed: TRL's rows are whole completions, one sample an episode`,
    });
  }
  return [["scale_rewards", advantage.scale === "groupStd" ? "group" : "none"]];
}
