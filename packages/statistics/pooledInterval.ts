import type { Interval } from "./rates.ts";
import { tQuantile } from "./distributions.ts";
import { mean, squaredDeviations } from "./summary.ts";

/**
 * t interval of the mean of all values, with the variance within strata only: strata are fixed, seeds are random. For
 * one stratum the plain t interval; NaN if no stratum has two values.
 */
export function pooledMeanInterval(strata: readonly (readonly number[])[], level = 0.95): Interval {
  const values = strata.flat();
  const df = values.length - strata.filter(({ length }) => length > 0).length;
  if (df < 1) return { low: NaN, high: NaN };
  const variance = strata.reduce((sum, some) => sum + squaredDeviations(some), 0) / df;
  const reach = tQuantile((1 + level) / 2, df) * Math.sqrt(variance / values.length);
  return { low: mean(values) - reach, high: mean(values) + reach };
}
