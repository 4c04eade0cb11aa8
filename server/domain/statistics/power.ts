import { normalUpperTail } from "./distributions.ts";
import { logGamma } from "./specialFunctions.ts";
import { tQuantile } from "./studentT.ts";

/** Chance that a two-sided t-test at `alpha` finds a true difference of d standard deviations with n seeds a side. */
export function tTestPower(d: number, n: number, alpha = 0.05): number {
  const df = 2 * n - 2;
  const critical = tQuantile(1 - alpha / 2, df);
  const shift = d * Math.sqrt(n / 2);
  return integrateOverChi(df, (s) => normalUpperTail(critical * s - shift) + normalUpperTail(critical * s + shift));
}

/** The smallest difference, in standard deviations, that n seeds a side find with the wanted power. */
export function detectableDifference(n: number, power = 0.8, alpha = 0.05): number {
  let [low, high] = [0, 100];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (tTestPower(middle, n, alpha) < power) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** E[f(s)] for s = √(χ²_df / df), by Simpson's rule: the non-central t is a normal mixed over s. */
function integrateOverChi(df: number, f: (s: number) => number): number {
  const numSteps = 400;
  const end = 1 + 12 / Math.sqrt(2 * df) + 4 / df;
  const logScale = Math.log(2) + (df / 2) * Math.log(df / 2) - logGamma(df / 2);
  let sum = 0;
  for (let i = 0; i <= numSteps; i++) {
    const s = (end * i) / numSteps;
    // At s = 0 only one degree of freedom has a density above 0, and a t-test of two samples has two or more.
    const density = s === 0 ? 0 : Math.exp(logScale + (df - 1) * Math.log(s) - (df * s * s) / 2);
    const weight = i === 0 || i === numSteps ? 1 : i % 2 === 1 ? 4 : 2;
    if (density > 0) sum += weight * density * f(s);
  }
  return (sum * end) / numSteps / 3;
}
