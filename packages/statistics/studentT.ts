import { invertFalling, tUpperTail } from "./distributions.ts";
import { mean, sem } from "./summary.ts";

/** Half-width of the t interval (mean ± t·sem) with coverage `level`; NaN for fewer than two values. */
export function meanInterval(
  values: readonly number[],
  level = 0.95,
): { mean: number; halfWidth: number; level: number; n: number } {
  const n = values.length;
  return { mean: mean(values), halfWidth: halfWidthOf(n, sem(values), level), level, n };
}

/** Half-width of the t interval, from the number of values and the standard error of the mean. */
export function halfWidthOf(n: number, standardError: number, level = 0.95): number {
  return n < 2 ? NaN : tQuantile((1 + level) / 2, n - 1) * standardError;
}

/**
 * Quantile t with P(T ≤ t) = p of Student's distribution with `df` degrees of freedom. Accurate to 1e-10 for p in (0,
 * 1).
 */
export function tQuantile(p: number, df: number): number {
  if (!(p > 0 && p < 1) || !(df > 0)) return NaN;
  if (p < 0.5) return -tQuantile(1 - p, df);
  const name = `${p} ${df}`;
  const before = known.get(name);
  if (before !== undefined) return before;
  const quantile = invertFalling((t) => tUpperTail(t, df), 1 - p);
  if (known.size < maxKnown) known.set(name, quantile);
  return quantile;
}

// Each quantile costs fifty evaluations of an incomplete beta; hundreds of groups of a table have the same number of
// seeds.
const known = new Map<string, number>();
const maxKnown = 1000;
