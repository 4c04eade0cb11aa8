import { incompleteBeta, incompleteGammaUpper } from "./specialFunctions.ts";

/** P(Z > z) of the standard normal. */
export function normalUpperTail(z: number): number {
  const outer = incompleteGammaUpper(0.5, (z * z) / 2) / 2;
  return z >= 0 ? outer : 1 - outer;
}

/** The z with P(Z ≤ z) = p. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) return NaN;
  if (p < 0.5) return -normalQuantile(1 - p);
  return invertFalling(normalUpperTail, 1 - p);
}

/** P(T > t) of Student's distribution with `df` degrees of freedom. */
export function tUpperTail(t: number, df: number): number {
  if (!Number.isFinite(df)) return normalUpperTail(t);
  const outer = incompleteBeta([df / 2, 0.5], df / (df + t * t), (t * t) / (df + t * t)) / 2;
  return t >= 0 ? outer : 1 - outer;
}

/** P(F > f) with `df1` and `df2` degrees of freedom. */
export function fUpperTail(f: number, df1: number, df2: number): number {
  if (f === Infinity) return 0;
  const total = df2 + df1 * Math.max(0, f);
  return incompleteBeta([df2 / 2, df1 / 2], df2 / total, (df1 * f) / total);
}

/** P(X > x) of chi-square with `df` degrees of freedom. */
export function chiSquareUpperTail(x: number, df: number): number {
  return incompleteGammaUpper(df / 2, x / 2);
}

/** The x with P(X ≤ x) = p. */
export function chiSquareQuantile(p: number, df: number): number {
  if (!(p > 0 && p < 1) || !(df > 0)) return NaN;
  return invertFalling((x) => chiSquareUpperTail(x, df), 1 - p);
}

/** The x ≥ 0 where a decreasing tail probability reaches `target`. */
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
