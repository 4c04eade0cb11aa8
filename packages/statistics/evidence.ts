import { normalUpperTail, tQuantile } from "./distributions.ts";
import { logGamma } from "./specialFunctions.ts";
import { isConstant } from "./summary.ts";

/** Strength of the conclusions that a comparison of two methods permits, by the smaller number of seeds. */
export type Evidence = "none" | "underpowered" | "full";

export const evidenceRules = { forIntervals: 3, forStars: 5 } as const;

/** Below 3 seeds: no interval and no test. Below 5: interval and effect size, underpowered. From 5 on: stars. */
export function judgeEvidence(minSeeds: number): Evidence {
  if (minSeeds < evidenceRules.forIntervals) return "none";
  return minSeeds < evidenceRules.forStars ? "underpowered" : "full";
}

export type Stars = "" | "*" | "**" | "***";

/** Stars for the difference of two samples. Two constant samples get none: each is a single observation. */
export function starsOf(correctedP: number, x: readonly number[], y: readonly number[]): Stars {
  return isConstant(x) && isConstant(y) ? "" : toStars(correctedP, Math.min(x.length, y.length));
}

/** Returns the significance stars for a corrected p-value below 0.05, 0.01 and 0.001; none with fewer than 5 seeds. */
export function toStars(correctedP: number, minSeeds: number): Stars {
  if (judgeEvidence(minSeeds) !== "full" || !(correctedP < 0.05)) return "";
  if (correctedP < 0.001) return "***";
  return correctedP < 0.01 ? "**" : "*";
}

export function explainEvidence(minSeeds: number): string {
  switch (judgeEvidence(minSeeds)) {
    case "none":
      return minSeeds === 1
        ? "single seed: no interval and no test"
        : `${minSeeds} seeds: an interval and a test need at least ${evidenceRules.forIntervals}`;
    case "underpowered": {
      const smallest = detectableDifference(minSeeds).toFixed(1);
      return `underpowered: ${minSeeds} seeds find only differences above ${smallest} standard deviations (power 80 %)`;
    }
    case "full":
      return `${minSeeds} seeds`;
  }
}

/** Power of a two-sided t-test with n seeds per sample, for a true difference of d standard deviations. */
export function tTestPower(d: number, n: number, alpha = 0.05): number {
  const df = 2 * n - 2;
  const critical = tQuantile(1 - alpha / 2, df);
  const shift = d * Math.sqrt(n / 2);
  return integrateOverChi(df, (s) => normalUpperTail(critical * s - shift) + normalUpperTail(critical * s + shift));
}

/** Smallest difference, in standard deviations, that a t-test with n seeds per sample detects with this power. */
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
    // The density at s = 0 is above 0 only for df = 1, and a two-sample t-test has df ≥ 2.
    const density = s === 0 ? 0 : Math.exp(logScale + (df - 1) * Math.log(s) - (df * s * s) / 2);
    const weight = i === 0 || i === numSteps ? 1 : i % 2 === 1 ? 4 : 2;
    if (density > 0) sum += weight * density * f(s);
  }
  return (sum * end) / numSteps / 3;
}
