import type { Correction, CorrectionWeight, Rejection } from "#trainer/spec/correction.ts";
import { keptRows, type TokenBatch } from "./sequenceMask.ts";
import { expMinusTangent } from "./kl.ts";
import { boundLogRatio } from "./logRatio.ts";

/** Minibatch with log-probabilities of the sampler, the engine that generated it; `oldLogProbs` are the trainer's. */
export type SampledBatch = TokenBatch & {
  /** (B, T) log-probabilities log μ of the sampled tokens under the sampler. */
  samplerLogProbs: ArrayLike<number>;
  /** (B,) staleness of each row in iterations: the newest policy's version minus the sampling policy's; 0 if absent. */
  ages?: ArrayLike<number>;
};

/** Effect of an off-policy correction on a minibatch. Arrays are (B, T) and 0 outside the response. */
export type Corrected = {
  /** Log-probabilities of the proximal policy, the centre of the clip range. */
  proximalLogProbs: Float64Array<ArrayBuffer>;
  /** Importance weight ω of each token's loss. */
  weights: Float64Array<ArrayBuffer>;
  /** Rejection mask M: 1 on response tokens that remain in the loss. */
  kept: Uint8Array<ArrayBuffer>;
  /** Number of response tokens whose ratio was clamped to the weight's bounds, or set to 0 outside them. */
  numTruncated: number;
  /** Factor on the learning rate of this optimizer step. */
  stepScale: number;
};

/**
 * Computes the importance weights, rejection mask, proximal policy and learning-rate factor of an off-policy
 * correction on one minibatch. Sources: verl's rollout correction; TIS, Yao et al. 2025; decoupled PPO,
 * arXiv:2505.24298; VCPO, github.com/mit-han-lab/vcpo. Weights and masks have no gradient.
 * @param meanWeight mean weight of the whole batch, by which weights are divided; defaults to the minibatch's own
 * mean
 */
export function correct(correction: Correction, batch: SampledBatch, meanWeight?: number): Corrected {
  const rows = mismatchRows(correction, batch);
  const { weights, numTruncated } = weigh(correction.weight, batch, rows);
  if (correction.weight?.normalise) {
    const mean = meanWeight ?? meanOfWeights(correction.weight, weights, rows);
    // Weights that are all 0 are not divided by their mean.
    if (mean > 1e-8) for (const [at, x] of weights.entries()) weights[at] = x / mean;
  }
  return {
    proximalLogProbs: proximalLogProbs(correction, batch),
    weights,
    kept: keptTokens(correction.reject, batch, rows),
    numTruncated,
    stepScale: stepScale(correction.step, rows),
  };
}

/** Mean weight of a whole batch, over response tokens for token weights, else over rows; 1 without a weight. */
export function meanWeight(correction: Correction, batch: SampledBatch): number {
  const rows = mismatchRows(correction, batch);
  return correction.weight ? meanOfWeights(correction.weight, weigh(correction.weight, batch, rows).weights, rows) : 1;
}

/** A row's response tokens: their indices, and x = log π_proximal − log μ (log π − log μ if μ is proximal). */
type MismatchRow = { at: number[]; x: number[] };

function mismatchRows(correction: Correction, batch: SampledBatch): MismatchRow[] {
  const [numRows, width] = batch.shape;
  const proximal = correction.proximal === "sampler" ? batch.logProbs : proximalLogProbs(correction, batch);
  const rows = Array.from({ length: numRows }, (_, row) => {
    const at = Array.from({ length: width }, (_, t) => row * width + t).filter((i) => batch.mask[i]);
    return { at, x: at.map((i) => (proximal[i] ?? 0) - (batch.samplerLogProbs[i] ?? 0)) };
  });
  return rows.filter(({ at }) => at.length > 0);
}

/**
 * Returns the (B, T) log-probabilities of the proximal policy: the trainer's π_old, the sampler's μ, or an
 * interpolation. For a row of staleness k, it is log μ + α·(log π − log μ) with α = (k − 1)/k, or α = 0 if k = 0.
 * Interpolation saves the forward pass that computes π_old (AReaL).
 */
function proximalLogProbs({ proximal }: Correction, batch: SampledBatch): Float64Array<ArrayBuffer> {
  const { mask, oldLogProbs, samplerLogProbs, logProbs, ages, shape } = batch;
  return Float64Array.from({ length: mask.length }, (_, at) => {
    if (!mask[at]) return 0;
    if (proximal === "recomputed") return oldLogProbs[at] ?? 0;
    const sampled = samplerLogProbs[at] ?? 0;
    if (proximal === "sampler") return sampled;
    const age = ages?.[Math.floor(at / shape[1])] ?? 0;
    return age < 1 ? sampled : sampled + ((age - 1) / age) * ((logProbs[at] ?? 0) - sampled);
  });
}

/** Importance weights ω, not yet divided by their mean; 1 on response tokens without a weight. */
function weigh(weight: CorrectionWeight | null, { mask }: SampledBatch, rows: readonly MismatchRow[]) {
  const weights = new Float64Array(mask.length);
  let numTruncated = 0;
  for (const { at, x } of rows) {
    for (const [t, i] of at.entries()) {
      const ratio = weight ? ratioOf(weight.level, x, t) : 1;
      const isInside = !weight || weight.kind === "raw" || isWithin(ratio, weight);
      weights[i] = isInside ? ratio : weight.kind === "zero" ? 0 : toBounds(ratio, weight);
      if (!isInside) numTruncated++;
    }
  }
  return { weights, numTruncated };
}

function ratioOf(level: CorrectionWeight["level"], x: readonly number[], t: number): number {
  switch (level) {
    case "token":
      return boundedExp(x[t] ?? 0);
    case "row":
      return boundedExp(sumOf(x));
    case "geometric":
      return boundedExp(sumOf(x) / x.length);
  }
}

/** Mean over response tokens for token weights, else over rows, whose tokens share one weight. */
function meanOfWeights({ level }: CorrectionWeight, weights: ArrayLike<number>, rows: readonly MismatchRow[]): number {
  const counted = rows.flatMap(({ at }) => (level === "token" ? at : at.slice(0, 1)));
  return sumOf(counted.map((i) => weights[i] ?? 0)) / Math.max(counted.length, 1);
}

/** Returns the (B, T) mask of the response tokens that no rejection rule removes. */
function keptTokens(
  reject: readonly Rejection[],
  batch: SampledBatch,
  rows: readonly MismatchRow[],
): Uint8Array<ArrayBuffer> {
  const kept = Uint8Array.from({ length: batch.mask.length }, (_, at) => (batch.mask[at] ? 1 : 0));
  for (const rejection of reject) for (const at of rejectedBy(rejection, batch, rows)) kept[at] = 0;
  return kept;
}

function rejectedBy(rejection: Rejection, batch: SampledBatch, rows: readonly MismatchRow[]): number[] {
  switch (rejection.kind) {
    case "token":
      return rows.flatMap(({ at, x }) =>
        at.filter((_, t) => !isWithin(statisticOf(rejection.statistic, x[t] ?? 0), rejection)),
      );
    case "row":
      return rows.flatMap(({ at, x }) => (isWithin(rowStatistic(rejection, x), rejection) ? [] : at));
    case "veto":
      return rows.flatMap(({ at, x }) => (x.every((one) => isWithin(boundedExp(one), rejection)) ? [] : at));
    case "secondMoment":
      return largestMoments(rows, rejection.threshold);
    case "drift": {
      const oldLogProbs = rejection.anchor === "sampler" ? batch.samplerLogProbs : batch.oldLogProbs;
      const keeps = keptRows({ ...batch, oldLogProbs }, rejection.delta);
      return rows.flatMap(({ at }) => (keeps[Math.floor((at[0] ?? 0) / batch.shape[1])] ? [] : at));
    }
  }
}

type Statistic = Extract<Rejection, { kind: "token" }>["statistic"];

function statisticOf(statistic: Statistic, x: number): number {
  switch (statistic) {
    case "ratio":
      return boundedExp(x);
    case "k2":
      return x ** 2 / 2;
    case "k3":
      return expMinusTangent(boundLogRatio(x));
  }
}

/** Sum, mean or maximum over a row's tokens. Ratios are reduced as logarithms; the result is a ratio. */
function rowStatistic({ statistic, reduce }: Extract<Rejection, { kind: "row" }>, x: readonly number[]): number {
  const values = statistic === "ratio" ? x : x.map((one) => statisticOf(statistic, one));
  const reduced = reduce === "max" ? Math.max(...values) : sumOf(values) / (reduce === "mean" ? values.length : 1);
  return statistic === "ratio" ? boundedExp(reduced) : reduced;
}

/**
 * Rejection of M2PO (arXiv:2510.01161): returns the fewest tokens, largest x² first, without which the mean x² is
 * below `threshold`. x is a token's log-ratio of proximal policy to sampler. At least one token is kept. Among equal
 * tokens, earlier ones are rejected first.
 */
function largestMoments(rows: readonly MismatchRow[], threshold: number): number[] {
  const tokens = rows.flatMap(({ at, x }) => at.map((i, t) => ({ at: i, moment: (x[t] ?? 0) ** 2 })));
  tokens.sort((a, b) => a.moment - b.moment || b.at - a.at);
  let [total, numKept] = [0, 0];
  for (const [i, { moment }] of tokens.entries()) {
    total += moment;
    if (total / (i + 1) < threshold) numKept = i + 1;
  }
  return tokens.slice(Math.max(numKept, 1)).map(({ at }) => at);
}

/**
 * VCPO's factor on the learning rate: min(1, e/base) or its square root; 1 if `step` is null. e = (Σw)²/(n·Σw²) is
 * the normalised effective sample size of the n rows' ratios w, capped at `cap`.
 */
function stepScale(step: Correction["step"], rows: readonly MismatchRow[]): number {
  if (!step || rows.length === 0) return 1;
  const ratios = rows.map(({ x }) => Math.min(boundedExp(sumOf(x)), step.cap ?? Infinity));
  const effective = sumOf(ratios) ** 2 / sumOf(ratios.map((w) => w * w));
  const share = Math.min(1, effective / rows.length / step.base);
  return step.rule === "sqrt" ? Math.sqrt(share) : share;
}

/** True if low ≤ value ≤ high; a bound of null always holds. */
function isWithin(value: number, { low, high }: { low: number | null; high: number | null }): boolean {
  return (low === null || value >= low) && (high === null || value <= high);
}

function toBounds(value: number, { low, high }: { low: number | null; high: number | null }): number {
  return Math.min(Math.max(value, low ?? -Infinity), high ?? Infinity);
}

/** e^x with x clamped to ±20, so that the result is finite in single precision. */
function boundedExp(x: number): number {
  return Math.exp(boundLogRatio(x));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((total, x) => total + x, 0);
}

/** Geometric mean of a row's token weights: GMPO's loss is one number per row (verl `geo_mean`). */
export function geometricMeans(
  weights: ArrayLike<number>,
  mask: ArrayLike<number>,
  [numRows, width]: TokenBatch["shape"],
): Float64Array<ArrayBuffer> {
  const means = new Float64Array(numRows * width);
  for (let row = 0; row < numRows; row++) {
    const indices = Array.from({ length: width }, (_, t) => row * width + t).filter((at) => mask[at]);
    const sum = sumOf(indices.map((at) => Math.log(weights[at] ?? 1)));
    for (const at of indices) means[at] = Math.exp(sum / indices.length);
  }
  return means;
}
