import { type Interval, tUpperTail, tQuantile, mean, squaredDeviations } from "#packages/statistics";

export type Contrast = {
  /** Mean of each side: average over strata of its mean within each. */
  means: readonly number[];
  difference: number;
  interval: Interval;
  /** Two-sided; NaN if no side varies within a stratum. */
  p: number;
};

/**
 * Sum over sides of sign × mean, compared only within strata, so that unequal numbers of runs do not matter. Strata are
 * weighted by precision (Cochran: 1 / Σ 1/n). Each side has its own variance, pooled over strata, with
 * Welch–Satterthwaite degrees of freedom. Two sides in one stratum give Welch's t-test. @param strata values by
 * stratum, then by side; none empty
 */
export function contrastWithin(
  strata: readonly (readonly (readonly number[])[])[],
  signs: readonly number[],
): Contrast {
  const weights = strata.map((stratum) => 1 / stratum.reduce((sum, { length }) => sum + 1 / length, 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const sides = signs.map((sign, s) => {
    const samples = strata.map((stratum) => stratum[s] ?? []);
    const centres = samples.map(mean);
    const squares = samples.map(squaredDeviations);
    const df = samples.reduce((sum, { length }) => sum + length - 1, 0);
    const variance = squares.reduce((sum, x) => sum + x, 0) / df;
    const share = weights.reduce((sum, weight, c) => sum + (weight / total) ** 2 / (samples[c]?.length ?? 0), 0);
    const centre = weights.reduce((sum, weight, c) => sum + (weight / total) * (centres[c] ?? NaN), 0);
    return { mean: total > 0 ? centre : NaN, signed: sign * centre, df, error: variance * share };
  });
  const squaredError = sides.reduce((sum, { error }) => sum + error, 0);
  const df = squaredError ** 2 / sides.reduce((sum, one) => sum + one.error ** 2 / one.df, 0);
  const error = Math.sqrt(squaredError);
  const difference = total > 0 ? sides.reduce((sum, { signed }) => sum + signed, 0) : NaN;
  const half = tQuantile(0.975, df) * error;
  return {
    means: sides.map((side) => side.mean),
    difference,
    interval: { low: difference - half, high: difference + half },
    p: Math.min(1, 2 * tUpperTail(Math.abs(difference / error), df)),
  };
}
