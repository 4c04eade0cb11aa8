import { chiSquareQuantile, normalQuantile, tQuantile } from "./distributions.ts";
import { mean, squaredDeviations } from "./summary.ts";

export type Interval = { low: number; high: number };

/** Clips an interval to [0, 1], which intervals of means (t or standard deviation) may exceed. */
export function withinRates({ low, high }: Interval): Interval {
  const bound = (x: number) => Math.min(1, Math.max(0, x));
  return { low: bound(low), high: bound(high) };
}

/** Wilson score interval of the rate k/n, within [0, 1] and of positive width even for k = 0; NaN for n = 0. */
export function wilsonInterval(k: number, n: number, level = 0.95): Interval {
  if (n === 0) return { low: NaN, high: NaN };
  const z = normalQuantile((1 + level) / 2);
  const rate = k / n;
  const scale = 1 + (z * z) / n;
  const centre = (rate + (z * z) / (2 * n)) / scale;
  const halfWidth = (z / scale) * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n));
  return { low: k === 0 ? 0 : centre - halfWidth, high: k === n ? 1 : centre + halfWidth };
}

/**
 * Wilson interval of a rate over clusters of k events among n. The number of observations is the effective one, by the
 * variance between clusters and its degrees of freedom (Korn & Graubard, Survey Methodology 24, 1998). Without variance,
 * each cluster counts as one observation.
 */
export function clusteredRateInterval(clusters: readonly { k: number; n: number }[], level = 0.95): Interval {
  const filled = clusters.filter(({ n }) => n > 0);
  const [k, n] = [sum(filled.map((one) => one.k)), sum(filled.map((one) => one.n))];
  const [rate, numClusters] = [k / n, filled.length];
  if (numClusters < 2) return wilsonInterval(k, n, level);
  const squares = sum(filled.map((one) => (one.k - rate * one.n) ** 2));
  const variance = (numClusters * squares) / ((numClusters - 1) * n * n);
  const ratio = normalQuantile((1 + level) / 2) / tQuantile((1 + level) / 2, numClusters - 1);
  const effective = variance > 0 ? ((rate * (1 - rate)) / variance) * ratio ** 2 : numClusters;
  const size = Math.min(effective, n);
  return wilsonInterval(rate * size, size, level);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, x) => total + x, 0);
}

/** Exact interval of an expected count, given `k` events (Garwood). Divided by the exposure, it is that of a rate. */
export function poissonInterval(k: number, level = 0.95): Interval {
  const outside = (1 - level) / 2;
  const low = k === 0 ? 0 : chiSquareQuantile(outside, 2 * k) / 2;
  return { low, high: chiSquareQuantile(1 - outside, 2 * k + 2) / 2 };
}

/** t interval of the mean by the variance within strata (fixed; seeds are random). NaN if no stratum has two values. */
export function pooledMeanInterval(strata: readonly (readonly number[])[], level = 0.95): Interval {
  const values = strata.flat();
  const df = values.length - strata.filter(({ length }) => length > 0).length;
  if (df < 1) return { low: NaN, high: NaN };
  const variance = strata.reduce((sum, some) => sum + squaredDeviations(some), 0) / df;
  const reach = tQuantile((1 + level) / 2, df) * Math.sqrt(variance / values.length);
  return { low: mean(values) - reach, high: mean(values) + reach };
}
