import { spendingOf } from "#trainer/spec/budget.ts";
import type { PolicySize } from "#trainer/spec/policy.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import { type Calibration, calibrationOf } from "./calibration.ts";
import type { Expansion } from "./expand.ts";

/**
 * Wall-clock minutes of a sweep: the work shared by the slots, but never less than its longest run. A guess from the spec,
 * good to a factor of about two, and corrected by the median of past runs of its kind where there are enough.
 */
export function estimateMinutes(
  expansion: Pick<Expansion, "cells" | "runs">,
  { slots, calibrations = [] }: { slots: number; calibrations?: readonly Calibration[] },
): number {
  const { total, longest } = estimateSeconds(expansion, calibrations);
  return Math.max(total / Math.max(1, slots), longest) / 60;
}

/** Hours of all its runs together, each on the slots that it needs. */
export function estimateHours(
  expansion: Pick<Expansion, "cells" | "runs">,
  calibrations: readonly Calibration[],
): number {
  return estimateSeconds(expansion, calibrations).total / 3600;
}

function estimateSeconds({ cells, runs }: Pick<Expansion, "cells" | "runs">, calibrations: readonly Calibration[]) {
  const perCell = cells.map(({ spec }) => estimateRunSeconds(spec) * (calibrationOf(spec, calibrations)?.median ?? 1));
  const perRun = runs.map(({ cellIndex }) => perCell[cellIndex] ?? 0);
  return {
    total: perRun.reduce((sum, seconds) => sum + seconds, 0),
    longest: perRun.reduce((most, seconds) => Math.max(most, seconds), 0),
  };
}

/** One thread of a desktop core, by policy size: tokens a second through gradient passes and out of sampling. */
const throughput: Record<PolicySize, { trained: number; sampled: number }> = {
  nano: { trained: 60_000, sampled: 12_000 },
  micro: { trained: 8800, sampled: 2500 },
  mini: { trained: 2500, sampled: 800 },
  small: { trained: 800, sampled: 250 },
};

/** A prompt of one observation is about this long in the built-in tokenizer; each turn of history adds as much. */
const promptTokens = 60;
/** Episodes rarely last the whole turn budget, and a response rarely its token budget. */
const meanShare = 0.6;
const startSeconds = 5;
/** A gradient pass for every row by itself takes as long as this many in micro-batches. */
const singleRowPasses = 3;
/** Share of generated episodes that rejection keeps. */
const keptShare = 0.5;

export function estimateRunSeconds(spec: CellSpec): number {
  const { trained, sampled } = throughput[spec.policy.size];
  const { rollout, update, evaluation, method } = spec;
  const { iterations } = spendingOf(spec);
  const turns = spec.environment.maxTurns * meanShare;
  const responseTokens = rollout.maxResponseTokens * meanShare;
  const rowTokens = promptTokens * (1 + rollout.historyLength) + responseTokens;
  const rows = rollout.numGroups * rollout.groupSize * turns;
  const { hasCritic, reads } = advantageTraits[method.advantage.kind];
  const greedyRows = reads === "greedyScore" ? rollout.numGroups * turns : 0;
  // The passes for π_old and π_ref cost a third of a gradient pass each; a critic is a second network of the same size.
  const passes = (update.epochs + 2 / 3) * (hasCritic ? 2 : 1) + (reads === "gradientNorm" ? singleRowPasses : 0);
  const iteration = ((rows + greedyRows) * responseTokens) / sampled + (rows * rowTokens * passes) / trained;
  const evaluations = Math.ceil(iterations / evaluation.every) + 1;
  const evaluating = (evaluations * evaluation.numEpisodes * turns * responseTokens) / sampled;
  const starting = startSeconds + estimateInitialisationSeconds(spec, { turns, rowTokens, responseTokens });
  return starting + iterations * iteration + evaluating;
}

/** Means over the rows of a run, as assumed above. */
type RowSize = { turns: number; rowTokens: number; responseTokens: number };

function estimateInitialisationSeconds(spec: CellSpec, { turns, rowTokens, responseTokens }: RowSize): number {
  const { initialisation } = spec;
  if (initialisation.kind === "scratch") return 0;
  const { trained, sampled } = throughput[spec.policy.size];
  const cloning = (spendingOf(spec).numDemonstrations * turns * rowTokens * initialisation.epochs) / trained;
  if (initialisation.kind === "demonstrations") return cloning;
  const { rounds, numGenerated, epochs } = initialisation;
  const generated = rounds * numGenerated * turns;
  return cloning + (generated * responseTokens) / sampled + (keptShare * generated * rowTokens * epochs) / trained;
}
