import { normalUpperTail, tQuantile } from "./distributions.ts";
import { logGamma } from "./specialFunctions.ts";

/** Power of a two-sided t-test at `alpha` for a true difference of d standard deviations, with n seeds per sample. */
export function tTestPower(d: number, n: number, alpha = 0.05): number {
  const df = 2 * n - 2;
  const critical = tQuantile(1 - alpha / 2, df);
  const shift = d * Math.sqrt(n / 2);
  return integrateOverChi(df, (s) => normalUpperTail(critical * s - shift) + normalUpperTail(critical * s + shift));
}

/** Smallest difference, in standard deviations, detected with the wanted power by n seeds per sample. */
export function detectableDifference(n: number, power = 0.8, alpha = 0.05): number {
  let [low, high] = [0, 100];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (tTestPower(middle, n, alpha) < power) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** E[f(s)] for s = √(χ²_df / df), by Simpson's rule: the non-central t is a mixture of normals over s. */
function integrateOverChi(df: number, f: (s: number) => number): number {
  const numSteps = 400;
  const end = 1 + 12 / Math.sqrt(2 * df) + 4 / df;
  const logScale = Math.log(2) + (df / 2) * Math.log(df / 2) - logGamma(df / 2);
  let sum = 0;
  for (let i = 0; i <= numSteps; i++) {
    const s = (end * i) / numSteps;
    // Only df = 1 has a density above 0 at s = 0; a two-sample t-test has df ≥ 2.
    const density = s === 0 ? 0 : Math.exp(logScale + (df - 1) * Math.log(s) - (df * s * s) / 2);
    const weight = i === 0 || i === numSteps ? 1 : i % 2 === 1 ? 4 : 2;
    if (density > 0) sum += weight * density * f(s);
  }
  return (sum * end) / numSteps / 3;
}
