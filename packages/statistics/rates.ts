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
