import { originOf } from "#trainer/spec/origin.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import { elsewhereOf } from "#trainer/spec/elsewhere.ts";
import { maxTurnsOf } from "#trainer/spec/environmentParts.ts";
import type { PolicySize } from "#trainer/spec/policy.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import { type Calibration, calibrationOf } from "./calibration.ts";
import type { Expansion } from "../expand/expand.ts";

/** Inputs of an estimate besides the specification: calibrations from past runs, and sizes of pretrained models. */
export type Known = { calibrations: readonly Calibration[]; models: ModelSizes };

export type ModelSizes = Readonly<Record<string, number>>;

/**
 * Estimates the wall-clock minutes of a sweep: total work divided by slots, but at least the longest run. The
 * estimate is accurate within a factor of about two, or corrected by the median ratio of similar past runs if there
 * are enough. NaN if the size of a pretrained model is unknown.
 */
export function estimateMinutes(
  expansion: Pick<Expansion, "cells" | "runs">,
  { slots, ...past }: { slots: number } & Partial<Known>,
): number {
  const { total, longest } = estimateSeconds(expansion, past);
  return Math.max(total / Math.max(1, slots), longest) / 60;
}

export function estimateHours(expansion: Pick<Expansion, "cells" | "runs">, known: Partial<Known>): number {
  return estimateSeconds(expansion, known).total / 3600;
}

function estimateSeconds(
  { cells, runs }: Pick<Expansion, "cells" | "runs">,
  { calibrations = [], models = {} }: Partial<Known>,
) {
  const perCell = cells.map(
    ({ spec }) => estimateRunSeconds(spec, models) * (calibrationOf(spec, calibrations)?.median ?? 1),
  );
  const perRun = runs.map(({ cellIndex }) => perCell[cellIndex] ?? 0);
  return {
    total: perRun.reduce((sum, seconds) => sum + seconds, 0),
    longest: perRun.reduce((most, seconds) => Math.max(most, seconds), 0),
  };
}

/**
 * Speeds on one thread of a desktop core in tokens per second: gradient passes, sampling, and `read` for prefill that
 * sampling does not include. The last two fields are the prompt tokens per observation and per turn of history.
 */
type Pace = { trained: number; sampled: number; read: number; promptTokens: number; historyTokens: number };

/** Prefill speed and prompt tokens with the built-in tokenizer; the sampling speed already includes prefill. */
const compact = { read: Infinity, promptTokens: 60, historyTokens: 60 };
const builtInPace: Record<PolicySize, Pace> = {
  nano: { trained: 60_000, sampled: 12_000, ...compact },
  micro: { trained: 8800, sampled: 2500, ...compact },
  mini: { trained: 2500, sampled: 800, ...compact },
  small: { trained: 800, sampled: 250, ...compact },
};

/**
 * Product of a model's parameters and its tokens per second, measured with a model of 27.7 M parameters. Batch rows
 * had 512 tokens in training; 16 rows at a time were sampled.
 */
const pretrainedWork = { trained: 9e9, sampled: 6.9e9, read: 2.9e10 };
/** Prompt tokens of pretrained models: the environments' texts (500 to 800 characters) with a chat template. */
const prose = { promptTokens: 220, historyTokens: 60 };
/** Speed-up of training with LoRA adapters: without the gradients of frozen weights, a pass takes a third less time. */
const adapterSpeed = 1.5;

function paceOf({ size, pretrained, loraRank }: CellSpec["policy"], models: ModelSizes): Pace {
  if (pretrained === undefined) return builtInPace[size];
  const numParameters = models[pretrained] ?? NaN;
  const { trained, sampled, read } = pretrainedWork;
  const trainedWork = loraRank === undefined ? trained : adapterSpeed * trained;
  return {
    trained: trainedWork / numParameters,
    sampled: sampled / numParameters,
    read: read / numParameters,
    ...prose,
  };
}

/** Assumed fraction of the turn budget and of the response tokens that an episode uses on average. */
const meanShare = 0.6;
const startSeconds = 5;
/** Time of a gradient pass that processes batch rows one by one, relative to a micro-batched pass. */
const singleRowPasses = 3;
/** Assumed fraction of the generated episodes that rejection sampling keeps. */
const keptShare = 0.5;

export function estimateRunSeconds(spec: CellSpec, models: ModelSizes = {}): number {
  const { starting, training } = estimateParts(spec, models);
  return starting + training;
}

/** Estimates the seconds until a run's first iteration, and of all its iterations with their evaluations. */
function estimateParts(spec: CellSpec, models: ModelSizes): { starting: number; training: number } {
  const pace = paceOf(spec.policy, models);
  const { trained } = pace;
  const { rollout, update, evaluation, method } = spec;
  const { iterations } = spendingOf(spec);
  const turns = maxTurnsOf(spec.environment) * meanShare;
  const responseTokens = rollout.maxResponseTokens * meanShare;
  const readTokens = pace.promptTokens + pace.historyTokens * rollout.historyLength;
  const rowTokens = readTokens + responseTokens;
  const acting = responseTokens / pace.sampled + readTokens / pace.read;
  const rows = rollout.numGroups * rollout.groupSize * turns;
  const { hasCritic, reads } = advantageTraits[method.advantage.kind];
  const greedyRows = reads === "greedyScore" ? rollout.numGroups * turns : 0;
  // The forward passes for π_old and π_ref each cost a third of a gradient pass. A critic is a second network of the
  // same size, so it doubles the cost.
  const passes = (update.epochs + 2 / 3) * (hasCritic ? 2 : 1) + (reads === "gradientNorm" ? singleRowPasses : 0);
  const iteration = (rows + greedyRows) * acting + (rows * rowTokens * passes) / trained;
  const evaluations = Math.ceil(iterations / evaluation.every) + 1;
  const evaluating = (evaluations * evaluation.numEpisodes * turns + turnsElsewhere(spec, iterations)) * acting;
  const starting = startSeconds + estimateInitialisationSeconds(spec, { turns, rowTokens, acting, trained });
  const origin = originOf(spec);
  // A branch skips its origin's iterations. The cost of its evaluations is not reduced, since few precede its start.
  const done = origin?.kind === "branch" ? origin.iteration : 0;
  return { starting, training: (iterations - done) * iteration + evaluating };
}

/** Minimum number of recent iterations over all runs in progress from which their speed is known. */
const minRecent = 10;

/**
 * Estimated slot time in ms of the iterations done, and time in ms until the last run ends. `speed`: measured time of
 * recent iterations and of recently finished runs, divided by its estimate; null with too few of them.
 */
export type PlannedPace = { doneMs: number; leftMs: number; speed: number | null };

export type PlannedRun = {
  spec: CellSpec;
  /** Key of the initial policy, which runs share; null if the run has its own. */
  start: string | null;
  seed: number;
  latestIteration: number;
  state: "waiting" | "live" | "over";
  /** True if an attempt was live some seconds ago: the slot of a run that has just ended is still free. */
  wasLive: boolean;
  /** Number of the live attempt's recent trained iterations, and their time in ms, without the start. */
  numRecent: number;
  recentMs: number;
  /** Time in ms of a recently finished run with one attempt, from its start to its end; null for others. */
  wholeMs: number | null;
};

/**
 * Estimates the slot time of the iterations done, and the time left. Runs are in launch order. Of runs that share an
 * initial policy, the first creates it, and later ones load it; those of the first seed create it at the same time.
 */
export function estimatePace(runs: readonly PlannedRun[], { calibrations, models }: Known): PlannedPace {
  const numLive = Math.max(1, runs.filter(({ state }) => state === "live").length);
  const numMade = new Map<string, number>();
  let doneMs = 0;
  const rests: { isLive: boolean; ms: number }[] = [];
  const recent = { num: 0, measuredMs: 0, plannedMs: 0 };
  for (const { spec, start, seed, latestIteration, state, ...timed } of runs) {
    const msPerSecond = 1000 * (calibrationOf(spec, calibrations)?.median ?? 1);
    const { starting, training } = estimateParts(spec, models);
    const made = start === null ? 0 : (numMade.get(start) ?? 0);
    if (start !== null) numMade.set(start, made + 1);
    const isMaker = made < (seed === runs[0]?.seed ? numLive : 1);
    const startMs = msPerSecond * (isMaker ? starting : startSeconds);
    const { iterations } = spendingOf(spec);
    const origin = originOf(spec);
    const from = origin?.kind === "branch" ? origin.iteration : 0;
    const trained = iterations > from ? Math.min(1, Math.max(0, (latestIteration - from) / (iterations - from))) : 0;
    const hasBegun = latestIteration > from;
    const trainingMs = msPerSecond * training;
    if (iterations > from) {
      recent.num += timed.numRecent;
      recent.measuredMs += timed.recentMs;
      recent.plannedMs += (timed.numRecent * trainingMs) / (iterations - from);
    }
    if (timed.wholeMs !== null) {
      recent.num += Math.max(0, latestIteration - from);
      recent.measuredMs += timed.wholeMs;
      recent.plannedMs += startMs + trained * trainingMs;
    }
    if (hasBegun) doneMs += startMs + trained * trainingMs;
    const ms = (hasBegun ? 0 : startMs) + (1 - trained) * trainingMs;
    if (state !== "over") rests.push({ isLive: state === "live", ms });
  }
  const leftMs = listSchedule(rests, Math.max(numLive, runs.filter(({ wasLive }) => wasLive).length));
  return { doneMs, leftMs, speed: recent.num >= minRecent ? recent.measuredMs / recent.plannedMs : null };
}

/** Returns the ms until the last run ends, if each waiting run takes the slot that becomes free first. */
function listSchedule(rests: readonly { isLive: boolean; ms: number }[], numSlots: number): number {
  const busyMs = rests.filter(({ isLive }) => isLive).map(({ ms }) => ms);
  while (busyMs.length < numSlots) busyMs.push(0);
  for (const { ms } of rests.filter(({ isLive }) => !isLive)) {
    const first = busyMs.indexOf(Math.min(...busyMs));
    busyMs[first] = (busyMs[first] ?? 0) + ms;
  }
  return Math.max(...busyMs);
}

/** Number of turns of all evaluations in other environments, with the same mean fraction of their turn budgets. */
function turnsElsewhere(spec: CellSpec, iterations: number): number {
  const each = elsewhereOf(spec).map(({ environment, numEpisodes = spec.evaluation.numEpisodes, every }) => {
    const evaluations = every === undefined ? 2 : Math.ceil(iterations / every) + 1;
    return evaluations * numEpisodes * environment.maxTurns * meanShare;
  });
  return each.reduce((sum, turns) => sum + turns, 0);
}

/** Assumed means over batch rows: turns per episode, tokens per row, seconds to act, tokens trained per second. */
type RowCost = { turns: number; rowTokens: number; acting: number; trained: number };

function estimateInitialisationSeconds(spec: CellSpec, { turns, rowTokens, acting, trained }: RowCost): number {
  const { initialisation } = spec;
  if (!("numEpisodes" in initialisation)) return 0;
  const cloning = (spendingOf(spec).numDemonstrations * turns * rowTokens * initialisation.epochs) / trained;
  if (initialisation.kind === "demonstrations") return cloning;
  const { rounds, numGenerated, epochs } = initialisation;
  const generated = rounds * numGenerated * turns;
  return cloning + generated * acting + (keptShare * generated * rowTokens * epochs) / trained;
}
