import { invertFalling, tUpperTail } from "./distributions.ts";
import { mean, sem } from "./summary.ts";

/** Half-width of the interval mean ± t·sem that holds the mean with probability `level`; NaN for fewer than two values. */
export function meanInterval(
  values: readonly number[],
  level = 0.95,
): { mean: number; halfWidth: number; level: number; n: number } {
  const n = values.length;
  const halfWidth = n < 2 ? NaN : tQuantile((1 + level) / 2, n - 1) * sem(values);
  return { mean: mean(values), halfWidth, level, n };
}

/** The t with P(T ≤ t) = p for Student's distribution with `df` degrees of freedom. Accurate to 1e-10 for p in (0, 1). */
export function tQuantile(p: number, df: number): number {
  if (!(p > 0 && p < 1) || !(df > 0)) return NaN;
  if (p < 0.5) return -tQuantile(1 - p, df);
  return invertFalling((t) => tUpperTail(t, df), 1 - p);
}
