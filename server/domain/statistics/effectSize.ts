import { normalQuantile } from "./distributions.ts";
import type { Interval } from "./rates.ts";
import { logGamma } from "./specialFunctions.ts";
import { mean, sem, std, variance } from "./summary.ts";

type Sample = readonly number[];

/** Difference of means in pooled standard deviations. */
export function cohenD(x: Sample, y: Sample): number {
  const df = x.length + y.length - 2;
  const pooled = ((x.length - 1) * variance(x) + (y.length - 1) * variance(y)) / df;
  return (mean(x) - mean(y)) / Math.sqrt(pooled);
}

/** Cohen's d without its bias in small samples, by the usual approximation J = 1 − 3 / (4 (n + m) − 9). */
export function hedgesG(x: Sample, y: Sample): number {
  return hedgesCorrection(x.length + y.length) * cohenD(x, y);
}

export function hedgesCorrection(total: number): number {
  return 1 - 3 / (4 * total - 9);
}

/** The exact factor Γ(df/2) / (√(df/2) Γ((df − 1)/2)). */
export function exactHedgesCorrection(total: number): number {
  const df = total - 2;
  return Math.exp(logGamma(df / 2) - logGamma((df - 1) / 2)) / Math.sqrt(df / 2);
}

/** Difference of means in standard deviations of the baseline y alone. */
export function glassDelta(x: Sample, y: Sample): number {
  return (mean(x) - mean(y)) / std(y);
}

/** Cliff's δ: P(x > y) − P(x < y) over all pairs, in [−1, 1]. */
export function cliffDelta(x: Sample, y: Sample): number {
  return 2 * commonLanguageEffect(x, y) - 1;
}

/** Vargha and Delaney's A₁₂: P(x > y) + ½ P(x = y) over all pairs. */
export function commonLanguageEffect(x: Sample, y: Sample): number {
  return mean(x.flatMap((a) => y.map((b) => (a > b ? 1 : a === b ? 0.5 : 0))));
}

/** Change of the mean in parts of the baseline's, with an interval by the delta method on its logarithm; for means > 0. */
export function relativeDifference(x: Sample, y: Sample, level = 0.95): { value: number; interval: Interval } {
  const ratio = mean(x) / mean(y);
  const error = Math.hypot(sem(x) / mean(x), sem(y) / mean(y));
  const reach = Math.exp(normalQuantile((1 + level) / 2) * error);
  const isPositive = mean(x) > 0 && mean(y) > 0;
  const interval = isPositive ? { low: ratio / reach - 1, high: ratio * reach - 1 } : { low: NaN, high: NaN };
  return { value: ratio - 1, interval };
}
