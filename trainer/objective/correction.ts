import type { Correction, CorrectionWeight, Rejection } from "#trainer/spec/correction.ts";
import { keptRows, type TokenBatch } from "./sequenceMask.ts";
import { expMinusTangent } from "./kl.ts";
import { maxLogRatio } from "./logRatio.ts";

/** A minibatch with the sampler's log-probabilities. `oldLogProbs` are always the trainer's own. */
export type SampledBatch = TokenBatch & {
  /** (B, T) log μ of the sampled tokens. */
  samplerLogProbs: ArrayLike<number>;
  /** (B,) age of the row in iterations: the newest policy's version minus the sampler's. 0 where absent. */
  ages?: ArrayLike<number>;
};

/** Effect of a correction on a minibatch. (B, T) unless stated otherwise; 0 off the response. */
export type Corrected = {
  /** log π of the proximal policy, the centre of the clip range. */
  proximalLogProbs: Float64Array<ArrayBuffer>;
  /** Importance weights ω of the tokens' losses. */
  weights: Float64Array<ArrayBuffer>;
  /** The mask M: 1 on the kept response tokens. */
  kept: Uint8Array<ArrayBuffer>;
  /** Response tokens whose ratio was clamped or zeroed by the weight's bounds. */
  numTruncated: number;
  /** Factor of the learning rate. */
  stepScale: number;
};

/**
 * Weights, mask, proximal policy and step scale of one minibatch under a correction (verl's rollout correction; TIS,
 * Yao et al. 2025; decoupled PPO, arXiv:2505.24298; VCPO, github.com/mit-han-lab/vcpo). x = log π_old − log μ of every
 * response token. Weights and masks are constants without gradient.
 * @param meanWeight of the minibatch's whole batch, where weights are divided by it; defaults to the minibatch's own
 */
export function correct(correction: Correction, batch: SampledBatch, meanWeight?: number): Corrected {
  const rows = mismatchRows(correction, batch);
  const { weights, numTruncated } = weigh(correction.weight, batch, rows);
  if (correction.weight?.normalise) {
    const mean = meanWeight ?? meanOfWeights(correction.weight, weights, rows);
    // Weights that are all 0 remain 0.
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

/** Mean weight of a whole batch, over its response tokens or its rows with a response. */
export function meanWeight(correction: Correction, batch: SampledBatch): number {
  const rows = mismatchRows(correction, batch);
  return correction.weight ? meanOfWeights(correction.weight, weigh(correction.weight, batch, rows).weights, rows) : 1;
}

/** One row with a response: indices of its tokens, and their x. */
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
 * log π_old: the trainer's; μ; or μ + α·(log π − log μ) with α = (k − 1)/k for a row of age k, 0 at age 0, which saves
 * the trainer's forward pass (AReaL, proximal approximation).
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

/** ω before division by its mean; 1 everywhere without a weight. */
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

/** Mean over response tokens at token level, else over rows, whose tokens share one weight. */
function meanOfWeights({ level }: CorrectionWeight, weights: ArrayLike<number>, rows: readonly MismatchRow[]): number {
  const counted = rows.flatMap(({ at }) => (level === "token" ? at : at.slice(0, 1)));
  return sumOf(counted.map((i) => weights[i] ?? 0)) / Math.max(counted.length, 1);
}

/** Applies every rejection to the whole response. A token is kept where all of them keep it. */
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
      return expMinusTangent(Math.max(-maxLogRatio, Math.min(maxLogRatio, x)));
  }
}

/** Sum, mean or maximum over a row. For ratios it is taken of the logarithms and returned as a ratio. */
function rowStatistic({ statistic, reduce }: Extract<Rejection, { kind: "row" }>, x: readonly number[]): number {
  const values = statistic === "ratio" ? x : x.map((one) => statisticOf(statistic, one));
  const reduced = reduce === "max" ? Math.max(...values) : sumOf(values) / (reduce === "mean" ? values.length : 1);
  return statistic === "ratio" ? boundedExp(reduced) : reduced;
}

/**
 * M2PO (arXiv:2510.01161): rejects the smallest set of largest x² that brings the mean of the rest below the threshold,
 * but never the last token. Among equals, earlier tokens are rejected first.
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

/** min(1, e/base) or its root, with e = (Σw)²/(n·Σw²) of the rows' whole ratios: VCPO's learning rate, without the ε that it adds to Σw². */
function stepScale(step: Correction["step"], rows: readonly MismatchRow[]): number {
  if (!step || rows.length === 0) return 1;
  const ratios = rows.map(({ x }) => Math.min(boundedExp(sumOf(x)), step.cap ?? Infinity));
  const effective = sumOf(ratios) ** 2 / sumOf(ratios.map((w) => w * w));
  const share = Math.min(1, effective / rows.length / step.base);
  return step.rule === "sqrt" ? Math.sqrt(share) : share;
}

/** True within the bounds, both included. */
function isWithin(value: number, { low, high }: { low: number | null; high: number | null }): boolean {
  return (low === null || value >= low) && (high === null || value <= high);
}

function toBounds(value: number, { low, high }: { low: number | null; high: number | null }): number {
  return Math.min(Math.max(value, low ?? -Infinity), high ?? Infinity);
}

/** e^x with x clamped to ±20, so that it is finite in single precision. */
function boundedExp(x: number): number {
  return Math.exp(Math.max(-maxLogRatio, Math.min(maxLogRatio, x)));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((total, x) => total + x, 0);
}

/**
 * One weight for every token of a row: the geometric mean of its tokens' weights. A loss of one number per row (GMPO)
 * needs one weight per row (verl `geo_mean`).
 * @param weights (B, T)
 * @param mask (B, T), 1 on response tokens
 * @returns (B, T)
 */
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
