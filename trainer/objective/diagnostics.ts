import type { Clipping } from "#trainer/spec/dimensions.ts";
import { strata, turnBins, type MetricKey } from "#trainer/spec/metric.ts";
import { clippingTraits } from "#trainer/spec/traits.ts";
import { clipEvents, clipRule } from "./clipping.ts";
import { boundLogRatio, maxSequenceLogRatio } from "./logRatio.ts";
import { k3 } from "./kl.ts";
import type { TokenBatch } from "./sequenceMask.ts";

export type DiagnosticsBatch = TokenBatch & {
  /** (B, T) log-probabilities log π_ref; if absent, no KL to the reference policy is measured. */
  referenceLogProbs?: ArrayLike<number>;
  /** (B,) true for batch rows that sequence masking kept in the loss; if absent, all rows are kept. */
  kept?: readonly boolean[];
  /** (B, T) log-ratio of the turn that contains each token, if the method clips one ratio per turn. */
  turnLogRatios?: ArrayLike<number>;
  /** Inputs of the metrics by entropy stratum and by turn; without them, these metrics are not computed. */
  context?: {
    /** (B, T) entropies of the old policy in nats; `entropyThreshold`: minimum of a high-entropy token. */
    entropies: ArrayLike<number>;
    entropyThreshold: number;
    /** (B, T) index of each token's turn in its episode: 0, 1, 2, …; if absent, no metrics by turn are computed. */
    turns?: ArrayLike<number>;
  };
};

/** Sums and counts of an empty tally, written out because objects built in a loop over names are slow to update. */
const zeroSums = {
  numRows: 0,
  numMaskedRows: 0,
  /** Number of response tokens in all rows; `numKeptTokens` counts those in rows that sequence masking kept. */
  numTokens: 0,
  numKeptTokens: 0,
  numClipped: 0,
  numAbove: 0,
  numBelow: 0,
  numDual: 0,
  klOldSum: 0,
  klReferenceSum: 0,
  /** Number of response tokens with a reference log-probability; 0 if there is no reference policy. */
  numReferenceTokens: 0,
  ratioSum: 0,
  ratioSquares: 0,
};

/** Sums, counts and extremes over minibatches. Tallies merge exactly, even for unequal sizes. */
export type PolicyTally = Readonly<typeof zeroSums> & {
  ratioMin: number;
  ratioMax: number;
  /** Per stratum (sign of advantage × ratio ≷ 1 × entropy): tokens, tokens outside the range, sum of KL. */
  strataTokens: Float64Array;
  strataOutOfRange: Float64Array;
  strataKl: Float64Array;
  /** Per bin of turn numbers (`turnBins`): number of tokens, sum of KL to the reference, sum of entropy. */
  turnTokens: Float64Array;
  turnKl: Float64Array;
  turnEntropy: Float64Array;
};

/** Tolerance in nats for rounding errors between two evaluations of one policy: log-ratios within it count as 0. */
const rounding = 1e-5;

const zeros = (names: readonly string[]) => new Float64Array(names.length);

export const emptyTally: PolicyTally = makeTally();

function makeTally() {
  return {
    ...zeroSums,
    ratioMin: Infinity,
    ratioMax: -Infinity,
    strataTokens: zeros(strata),
    strataOutOfRange: zeros(strata),
    strataKl: zeros(strata),
    turnTokens: zeros(turnBins),
    turnKl: zeros(turnBins),
    turnEntropy: zeros(turnBins),
  };
}

/**
 * Measures how one update changed the policy, in double precision. As in the papers' code, clipping metrics and the
 * KL between old and new policy cover only rows that sequence masking kept. All other metrics cover all rows. A NaN
 * makes its sum, minimum or maximum NaN.
 */
export function tallyPolicy(clipping: Clipping, batch: DiagnosticsBatch): PolicyTally {
  const { logProbs, oldLogProbs, advantages, mask, referenceLogProbs, context } = batch;
  const [numRows, width] = batch.shape;
  const tally = makeTally();
  const rule = clipRule(clipping);
  const { ratio: ratioOf } = clippingTraits[clipping.kind];
  for (let row = 0; row < numRows; row++) {
    const [from, to] = [row * width, (row + 1) * width];
    const sequence = ratioOf === "row" ? sequenceRatio(batch, row) : undefined;
    const isKept = batch.kept?.[row] ?? true;
    let length = 0;
    for (let at = from; at < to; at++) {
      if (!mask[at]) continue;
      length++;
      const logProb = logProbs[at] ?? 0;
      const advantage = advantages[at] ?? 0;
      const logRatio = boundLogRatio(logProb - (oldLogProbs[at] ?? 0));
      const ratio = Math.exp(logRatio);
      const ofTurn = batch.turnLogRatios && Math.exp(boundLogRatio(batch.turnLogRatios[at] ?? 0));
      const acting = sequence ?? ofTurn ?? ratio;
      tally.ratioSum += ratio;
      tally.ratioSquares += ratio * ratio;
      tally.ratioMin = Math.min(tally.ratioMin, ratio);
      tally.ratioMax = Math.max(tally.ratioMax, ratio);
      const kl = referenceLogProbs ? k3(logProb, referenceLogProbs[at] ?? 0) : 0;
      tally.klReferenceSum += kl;
      if (isKept) {
        const events = clipEvents(rule, acting, advantage);
        tally.numKeptTokens++;
        tally.klOldSum -= logRatio;
        if (events.isClipped) tally.numClipped++;
        if (events.isAbove) tally.numAbove++;
        if (events.isBelow) tally.numBelow++;
        if (events.isDual) tally.numDual++;
      }
      if (context) {
        const entropy = context.entropies[at] ?? 0;
        if (context.turns) {
          const turn = binOfTurn(context.turns[at] ?? 0);
          addTo(tally.turnTokens, turn, 1);
          addTo(tally.turnKl, turn, kl);
          addTo(tally.turnEntropy, turn, entropy);
        }
        if (advantage === 0) continue; // Strata are split by the advantage's sign, so 0 has no stratum.
        const stratum =
          (advantage > 0 ? 0 : 4) + (logRatio >= -rounding ? 0 : 2) + (entropy >= context.entropyThreshold ? 0 : 1);
        addTo(tally.strataTokens, stratum, 1);
        addTo(tally.strataKl, stratum, kl);
        if (acting > rule.highest || acting < rule.lowest) addTo(tally.strataOutOfRange, stratum, 1);
      }
    }
    if (length === 0) continue;
    tally.numRows++;
    if (!isKept) tally.numMaskedRows++;
    tally.numTokens += length;
    if (referenceLogProbs) tally.numReferenceTokens += length;
  }
  return tally;
}

function addTo(sums: Float64Array, index: number, x: number): void {
  sums[index] = (sums[index] ?? 0) + x;
}

export function mergeTallies(a: PolicyTally, b: PolicyTally): PolicyTally {
  const joined = (x: Float64Array, y: Float64Array): Float64Array => x.map((value, i) => value + (y[i] ?? 0));
  return {
    numRows: a.numRows + b.numRows,
    numMaskedRows: a.numMaskedRows + b.numMaskedRows,
    numTokens: a.numTokens + b.numTokens,
    numKeptTokens: a.numKeptTokens + b.numKeptTokens,
    numClipped: a.numClipped + b.numClipped,
    numAbove: a.numAbove + b.numAbove,
    numBelow: a.numBelow + b.numBelow,
    numDual: a.numDual + b.numDual,
    klOldSum: a.klOldSum + b.klOldSum,
    klReferenceSum: a.klReferenceSum + b.klReferenceSum,
    numReferenceTokens: a.numReferenceTokens + b.numReferenceTokens,
    ratioSum: a.ratioSum + b.ratioSum,
    ratioSquares: a.ratioSquares + b.ratioSquares,
    ratioMin: Math.min(a.ratioMin, b.ratioMin),
    ratioMax: Math.max(a.ratioMax, b.ratioMax),
    strataTokens: joined(a.strataTokens, b.strataTokens),
    strataOutOfRange: joined(a.strataOutOfRange, b.strataOutOfRange),
    strataKl: joined(a.strataKl, b.strataKl),
    turnTokens: joined(a.turnTokens, b.turnTokens),
    turnKl: joined(a.turnKl, b.turnKl),
    turnEntropy: joined(a.turnEntropy, b.turnEntropy),
  };
}

/** Converts a tally to logged metrics. A metric over no tokens is absent, not zero. */
export function summarise(tally: PolicyTally): Partial<Record<MetricKey, number>> {
  const { numTokens, numKeptTokens, numReferenceTokens, numRows } = tally;
  return {
    ...(numKeptTokens > 0 && {
      "policy/clipFraction": tally.numClipped / numKeptTokens,
      "policy/clipFractionHigh": tally.numAbove / numKeptTokens,
      "policy/clipFractionLow": tally.numBelow / numKeptTokens,
      "policy/clipFractionDual": tally.numDual / numKeptTokens,
      "policy/klOld": tally.klOldSum / numKeptTokens,
    }),
    ...(numReferenceTokens > 0 && { "policy/klReference": tally.klReferenceSum / numReferenceTokens }),
    ...(numTokens > 0 && {
      "policy/ratioMin": tally.ratioMin,
      "policy/ratioMean": tally.ratioSum / numTokens,
      "policy/ratioMax": tally.ratioMax,
      "policy/effectiveSampleFraction": tally.ratioSum ** 2 / (numTokens * tally.ratioSquares),
    }),
    ...(numRows > 0 && { "policy/maskedRowFraction": tally.numMaskedRows / numRows }),
    ...sharesOf("strataTokens", strata, tally.strataTokens),
    ...sharesOf("strataOutOfRange", strata, tally.strataOutOfRange),
    ...sharesOf("strataKl", strata, tally.strataKl),
    ...(numReferenceTokens > 0 && meansOf({ group: "turnKl", names: turnBins }, tally.turnKl, tally.turnTokens)),
    ...meansOf({ group: "turnEntropy", names: turnBins }, tally.turnEntropy, tally.turnTokens),
  };
}

/** Returns metrics `group/name`: each value's share of the sum of values; empty if the sum is 0. */
function sharesOf(group: string, names: readonly string[], parts: Float64Array): Record<string, number> {
  const total = parts.reduce((sum, x) => sum + x, 0);
  if (total === 0) return {};
  return Object.fromEntries(names.map((name, i) => [`${group}/${name}`, (parts[i] ?? 0) / total]));
}

function meansOf(
  { group, names }: { group: string; names: readonly string[] },
  sums: Float64Array,
  counts: Float64Array,
): Record<string, number> {
  const seen = [...names.entries()].filter(([i]) => (counts[i] ?? 0) > 0);
  return Object.fromEntries(seen.map(([i, name]) => [`${group}/${name}`, (sums[i] ?? 0) / (counts[i] ?? 1)]));
}

const lastTurns = turnBins.map((bin) => (bin.endsWith("+") ? Infinity : Number(bin.split("-").at(-1))));

/** Returns the index of the bin of turn numbers that contains a turn; turns and bins count from 0. */
function binOfTurn(turn: number): number {
  return lastTurns.findIndex((last) => turn + 1 <= last);
}

/** Sequence ratio of one batch row as in GSPO, s = exp(mean_t log(π/π_old)). */
export function sequenceRatio(
  { shape: [, width], logProbs, oldLogProbs, mask }: Pick<TokenBatch, "shape" | "logProbs" | "oldLogProbs" | "mask">,
  row: number,
): number {
  let [total, length] = [0, 0];
  for (let at = row * width; at < (row + 1) * width; at++) {
    if (!mask[at]) continue;
    total += (logProbs[at] ?? 0) - (oldLogProbs[at] ?? 0);
    length++;
  }
  return Math.exp(Math.min(total / Math.max(length, 1), maxSequenceLogRatio));
}
