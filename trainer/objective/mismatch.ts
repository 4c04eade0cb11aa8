import { expMinusTangent } from "./kl.ts";
import { boundLogRatio } from "./logRatio.ts";
import type { MetricKey } from "#trainer/spec/metric.ts";

/** One row's response tokens under the trainer's policy at the start of the update, and under the sampler. */
export type MismatchRow = { oldLogProbs: ArrayLike<number>; samplerLogProbs: ArrayLike<number> };

/** Sums over values that are all 1 if trainer and sampler agree, such as probability ratios. */
type Ratios = { count: number; sum: number; squares: number; min: number; max: number };

const noRatios = (): Ratios => ({ count: 0, sum: 0, squares: 0, min: Infinity, max: -Infinity });

/**
 * Metrics of the mismatch between the trainer's policy π_old and the sampler μ, with x = log π_old − log μ and ρ =
 * eˣ. Metrics follow verl (rollout_corr_helper), NeMo RL (token_mult_prob_error, js), TRL (DPPO's probability gap)
 * and VCPO (effective sample size over rows). Rows without a token are skipped. If there is no token, the result is
 * empty.
 */
export function describeMismatch(rows: readonly MismatchRow[]): Partial<Record<MetricKey, number>> {
  const [token, row, geometric] = [noRatios(), noRatios(), noRatios()];
  const sums = { k1: 0, k3: 0, abs: 0, probability: 0, multError: 0, js: 0, gap: 0, gapAbs: 0 };
  let [absMax, probMax] = [0, 0];
  for (const { oldLogProbs, samplerLogProbs } of rows) {
    const length = oldLogProbs.length;
    if (length === 0) continue;
    let total = 0;
    for (let t = 0; t < length; t++) {
      const [old, mu] = [oldLogProbs[t] ?? NaN, samplerLogProbs[t] ?? NaN];
      const x = boundLogRatio(old - mu);
      const probabilityGap = Math.abs(Math.exp(old) - Math.exp(mu));
      const mix = Math.log((Math.exp(old) + Math.exp(mu)) / 2);
      total += old - mu;
      sums.k1 -= x;
      sums.k3 += expMinusTangent(x);
      sums.abs += Math.abs(x);
      sums.probability += probabilityGap;
      sums.multError += Math.exp(Math.abs(x));
      sums.js += (expMinusTangent(boundLogRatio(old - mix)) + expMinusTangent(boundLogRatio(mu - mix))) / 2;
      absMax = Math.max(absMax, Math.abs(old - mu));
      probMax = Math.max(probMax, probabilityGap);
      count(token, Math.exp(x));
    }
    count(row, Math.exp(boundLogRatio(total)));
    count(geometric, Math.exp(boundLogRatio(total / length)));
    sums.gap -= total / length;
    sums.gapAbs += Math.abs(total / length);
  }
  const [n, m] = [token.count, row.count];
  if (n === 0) return {};
  const ratioMean = token.sum / n;
  return {
    "policy/samplerKl": sums.k1 / n,
    "policy/samplerMismatch": sums.abs / n,
    "policy/samplerProbabilityGap": sums.probability / n,
    "policy/samplerChiSquared": token.squares / n - 1,
    "policy/samplerRatioMean": ratioMean,
    "policy/samplerRatioStd": Math.sqrt(Math.max(token.squares / n - ratioMean ** 2, 0)),
    "policy/samplerEffectiveSampleFraction": effectiveShare(token),
    "mismatch/k3": sums.k3 / n,
    "mismatch/absMax": absMax,
    "mismatch/probMax": probMax,
    "mismatch/multError": sums.multError / n,
    "mismatch/js": sums.js / n,
    "mismatch/ratioMin": token.min,
    "mismatch/ratioMax": token.max,
    "mismatch/rowRatioMin": row.min,
    "mismatch/rowRatioMax": row.max,
    "mismatch/geoRatioMin": geometric.min,
    "mismatch/geoRatioMax": geometric.max,
    "mismatch/chi2Row": row.squares / m - 1,
    "mismatch/essRow": effectiveShare(row),
    "mismatch/logPplGap": sums.gap / m,
    "mismatch/logPplGapAbs": sums.gapAbs / m,
  };
}

/**
 * Metrics that split the trainer–sampler mismatch into staleness and rounding: x = (log π_old − log π_lag) + (log
 * π_lag − log μ). π_lag is the sampler's older policy version, evaluated with the trainer's exact weights
 * (arXiv:2605.12070 argues for storing its log-probabilities).
 */
export function splitMismatch(
  rows: readonly (MismatchRow & { lagLogProbs: ArrayLike<number> })[],
): Partial<Record<MetricKey, number>> {
  let [n, stalenessK1, stalenessK3, precisionK1, precisionK3] = [0, 0, 0, 0, 0];
  for (const { oldLogProbs, samplerLogProbs, lagLogProbs } of rows) {
    for (let t = 0; t < oldLogProbs.length; t++) {
      const lag = lagLogProbs[t] ?? NaN;
      const staleness = boundLogRatio((oldLogProbs[t] ?? NaN) - lag);
      const precision = boundLogRatio(lag - (samplerLogProbs[t] ?? NaN));
      n++;
      stalenessK1 -= staleness;
      stalenessK3 += expMinusTangent(staleness);
      precisionK1 -= precision;
      precisionK3 += expMinusTangent(precision);
    }
  }
  if (n === 0) return {};
  return {
    "mismatch/stalenessK1": stalenessK1 / n,
    "mismatch/stalenessK3": stalenessK3 / n,
    "mismatch/precisionK1": precisionK1 / n,
    "mismatch/precisionK3": precisionK3 / n,
  };
}

function count(ratios: Ratios, ratio: number): void {
  ratios.count++;
  ratios.sum += ratio;
  ratios.squares += ratio * ratio;
  ratios.min = Math.min(ratios.min, ratio);
  ratios.max = Math.max(ratios.max, ratio);
}

/** Kish's effective sample size of n ratios ρ divided by n: (Σρ)²/(n·Σρ²), in (0, 1]. */
function effectiveShare({ count: n, sum, squares }: Ratios): number {
  return sum ** 2 / (n * squares);
}
