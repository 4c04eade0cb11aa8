import { spendingOf } from "#trainer/spec/budget.ts";
import type { PolicySize } from "#trainer/spec/policy.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import { type Calibration, calibrationOf } from "./calibration.ts";
import type { Expansion } from "./expand.ts";

/** What estimates start from beside a specification: past runs, and how large pretrained models are. */
export type Known = { calibrations: readonly Calibration[]; models: ModelSizes };

/** Parameters of pretrained models, by what specifications name them. */
export type ModelSizes = Readonly<Record<string, number>>;

/**
 * Wall-clock minutes of a sweep: the work shared by the slots, but never less than its longest run. A guess from the spec,
 * good to a factor of about two, and corrected by the median of past runs of its kind where there are enough. NaN where a pretrained
 * model is of unknown size.
 */
export function estimateMinutes(
  expansion: Pick<Expansion, "cells" | "runs">,
  { slots, ...past }: { slots: number } & Partial<Known>,
): number {
  const { total, longest } = estimateSeconds(expansion, past);
  return Math.max(total / Math.max(1, slots), longest) / 60;
}

/** Hours of all its runs together, each on the slots that it needs. */
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
 * Tokens a second on one thread of a desktop core, through gradient passes, out of sampling and, where that is not
 * counted with sampling, read before; and the tokens of a prompt of one observation and of each turn of its history.
 */
type Pace = { trained: number; sampled: number; read: number; promptTokens: number; historyTokens: number };

/** In the built-in tokenizer; prompts are counted with what is sampled after them. */
const compact = { read: Infinity, promptTokens: 60, historyTokens: 60 };
const builtInPace: Record<PolicySize, Pace> = {
  nano: { trained: 60_000, sampled: 12_000, ...compact },
  micro: { trained: 8800, sampled: 2500, ...compact },
  mini: { trained: 2500, sampled: 800, ...compact },
  small: { trained: 800, sampled: 250, ...compact },
};

/** Parameters × tokens a second: 27.7 M in rows of 512 tokens, and 16 of them sampled at a time. */
const pretrainedWork = { trained: 9e9, sampled: 6.9e9, read: 2.9e10 };
/** Of 500 to 800 characters that the environments' own prompts have, with a chat template's. */
const prose = { promptTokens: 220, historyTokens: 60 };
/** Adapters leave out the gradients of the weights below: a third of a pass. */
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

/** Episodes rarely last the whole turn budget, and a response rarely its token budget. */
const meanShare = 0.6;
const startSeconds = 5;
/** A gradient pass for every row by itself takes as long as this many in micro-batches. */
const singleRowPasses = 3;
/** Share of generated episodes that rejection keeps. */
const keptShare = 0.5;

/** NaN for a pretrained model of unknown size. */
export function estimateRunSeconds(spec: CellSpec, models: ModelSizes = {}): number {
  const pace = paceOf(spec.policy, models);
  const { trained } = pace;
  const { rollout, update, evaluation, method } = spec;
  const { iterations } = spendingOf(spec);
  const turns = spec.environment.maxTurns * meanShare;
  const responseTokens = rollout.maxResponseTokens * meanShare;
  const readTokens = pace.promptTokens + pace.historyTokens * rollout.historyLength;
  const rowTokens = readTokens + responseTokens;
  const acting = responseTokens / pace.sampled + readTokens / pace.read;
  const rows = rollout.numGroups * rollout.groupSize * turns;
  const { hasCritic, reads } = advantageTraits[method.advantage.kind];
  const greedyRows = reads === "greedyScore" ? rollout.numGroups * turns : 0;
  // The passes for π_old and π_ref cost a third of a gradient pass each; a critic is a second network of the same size.
  const passes = (update.epochs + 2 / 3) * (hasCritic ? 2 : 1) + (reads === "gradientNorm" ? singleRowPasses : 0);
  const iteration = (rows + greedyRows) * acting + (rows * rowTokens * passes) / trained;
  const evaluations = Math.ceil(iterations / evaluation.every) + 1;
  const evaluating = evaluations * evaluation.numEpisodes * turns * acting;
  const starting = startSeconds + estimateInitialisationSeconds(spec, { turns, rowTokens, acting, trained });
  return starting + iterations * iteration + evaluating;
}

/** Means over the rows of a run, as assumed above, the seconds that each takes to act, and tokens trained a second. */
type RowCost = { turns: number; rowTokens: number; acting: number; trained: number };

function estimateInitialisationSeconds(spec: CellSpec, { turns, rowTokens, acting, trained }: RowCost): number {
  const { initialisation } = spec;
  if (initialisation.kind === "scratch") return 0;
  const cloning = (spendingOf(spec).numDemonstrations * turns * rowTokens * initialisation.epochs) / trained;
  if (initialisation.kind === "demonstrations") return cloning;
  const { rounds, numGenerated, epochs } = initialisation;
  const generated = rounds * numGenerated * turns;
  return cloning + generated * acting + (keptShare * generated * rowTokens * epochs) / trained;
}
