import { incompleteBeta, incompleteGammaUpper } from "./specialFunctions.ts";
import { mean, sem } from "./summary.ts";

/** Returns the upper tail probability P(Z > z) of the standard normal distribution. */
export function normalUpperTail(z: number): number {
  const outer = incompleteGammaUpper(0.5, (z * z) / 2) / 2;
  return z >= 0 ? outer : 1 - outer;
}

/** Returns the quantile z of the standard normal distribution, with P(Z ≤ z) = p; NaN unless 0 < p < 1. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) return NaN;
  if (p < 0.5) return -normalQuantile(1 - p);
  return invertFalling(normalUpperTail, 1 - p);
}

/** Returns the upper tail probability P(T > t) of Student's t distribution with `df` degrees of freedom. */
export function tUpperTail(t: number, df: number): number {
  if (!Number.isFinite(df)) return normalUpperTail(t);
  const outer = incompleteBeta([df / 2, 0.5], df / (df + t * t), (t * t) / (df + t * t)) / 2;
  return t >= 0 ? outer : 1 - outer;
}

/** Returns the upper tail probability P(F > f) of the F distribution with `df1` and `df2` degrees of freedom. */
export function fUpperTail(f: number, df1: number, df2: number): number {
  if (f === Infinity) return 0;
  const total = df2 + df1 * Math.max(0, f);
  return incompleteBeta([df2 / 2, df1 / 2], df2 / total, (df1 * f) / total);
}

/** Returns the upper tail probability P(X > x) of the chi-square distribution with `df` degrees of freedom. */
export function chiSquareUpperTail(x: number, df: number): number {
  return incompleteGammaUpper(df / 2, x / 2);
}

/** Returns the quantile x of the chi-square distribution with `df` degrees of freedom, P(X ≤ x) = p. */
export function chiSquareQuantile(p: number, df: number): number {
  if (!(p > 0 && p < 1) || !(df > 0)) return NaN;
  return invertFalling((x) => chiSquareUpperTail(x, df), 1 - p);
}

/** Finds the x ≥ 0 at which a decreasing tail probability equals `target`. */
export function invertFalling(tail: (x: number) => number, target: number): number {
  let low = 0;
  let high = 1;
  while (tail(high) > target) high *= 2;
  for (let i = 0; i < 200 && high - low > 1e-15 * high; i++) {
    const middle = (low + high) / 2;
    if (tail(middle) > target) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Mean and half-width of the t interval with coverage `level`; half-width NaN for fewer than two values. */
export function meanInterval(
  values: readonly number[],
  level = 0.95,
): { mean: number; halfWidth: number; level: number; n: number } {
  const n = values.length;
  return { mean: mean(values), halfWidth: halfWidthOf(n, sem(values), level), level, n };
}

/** Half-width of the t interval of a mean; NaN for fewer than two values. */
export function halfWidthOf(n: number, standardError: number, level = 0.95): number {
  return n < 2 ? NaN : tQuantile((1 + level) / 2, n - 1) * standardError;
}

/** Quantile t of Student's t distribution, P(T ≤ t) = p, accurate to 1e-10 for p in (0, 1). */
export function tQuantile(p: number, df: number): number {
  if (!(p > 0 && p < 1) || !(df > 0)) return NaN;
  if (p < 0.5) return -tQuantile(1 - p, df);
  const name = `${p} ${df}`;
  const before = known.get(name);
  if (before !== undefined) return before;
  const quantile = invertFalling((t) => tUpperTail(t, df), 1 - p);
  if (known.size >= maxKnown) known.clear();
  known.set(name, quantile);
  return quantile;
}

// Cache of quantiles: each needs fifty incomplete beta functions, and hundreds of groups have equal degrees of
// freedom. A full cache starts again: if it kept its first entries, a long process would cache nothing new.
const known = new Map<string, number>();
const maxKnown = 1000;
