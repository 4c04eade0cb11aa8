import { evidenceRules } from "../evidence.ts";
import { type Looks, nominalLevel, sequentialP } from "../groupSequential.ts";
import { withinRates, type Interval } from "../rates.ts";
import { halfWidthOf } from "../distributions.ts";
import { mean, std } from "../summary.ts";
import { welchTest } from "../twoSampleTests.ts";

/** Mean over seeds with its interval, in the one form that all pages, files and commands use. */
export type Spread = {
  /** Mean over seeds; NaN if there is no value. */
  mean: number;
  /** Number of seeds with a finite value. */
  n: number;
  /** 95 % t interval of the mean, clipped to the possible values. Null below three seeds, or if all values are equal. */
  interval: Interval | null;
};

/** Unit of a metric, and its smallest possible value if it cannot be negative. */
export type Bounded = { unit: string; min?: 0 | undefined };

/** True for metrics whose values lie between 0 and 1. */
export function isRate({ unit }: { unit: string }): boolean {
  return unit === "fraction";
}

/**
 * Clips an interval to the possible values of a metric: t intervals of a rate, a time or a norm can exceed them. An
 * interval around a negative value stays, because some trainers log signed estimates of a KL or an entropy.
 * @param centre the interval's mean; its middle if not given
 */
export function withinValues(
  interval: Interval,
  metric: Bounded,
  centre = (interval.low + interval.high) / 2,
): Interval {
  if (isRate(metric)) return withinRates(interval);
  return metric.min === undefined || centre < 0 ? interval : { ...interval, low: Math.max(metric.min, interval.low) };
}

/** Spread of the finite values, one per seed, with an interval clipped to the metric's possible values. */
export function spreadOf(values: readonly number[], metric: Bounded): Spread {
  const finite = values.filter(Number.isFinite);
  return spreadFrom({ mean: mean(finite), std: std(finite), n: finite.length }, metric);
}

export type Moments = { mean: number; std: number; n: number };

export function spreadFrom({ mean: centre, std: deviation, n }: Moments, metric: Bounded): Spread {
  const halfWidth = n < evidenceRules.forIntervals ? NaN : halfWidthOf(n, deviation / Math.sqrt(n));
  // If all seeds have the same value, they give no information about the spread of other seeds.
  if (!Number.isFinite(halfWidth) || isResidue(halfWidth, centre)) return { mean: centre, n, interval: null };
  const around = { low: centre - halfWidth, high: centre + halfWidth };
  return { mean: centre, n, interval: withinValues(around, metric, centre) };
}

export type Difference = {
  /** First mean minus second mean; exactly zero if the difference is only rounding error. */
  value: number;
  /** 95 % interval by Welch's unpaired test. Null below three seeds, or if Welch's test has no p-value. */
  interval: Interval | null;
  /** Two-sided p-value of Welch's test, repeated if seeds were added after a look; null if there is no interval. */
  p: number | null;
  pairing: "unpaired";
};

/**
 * Difference of means over seeds, x − y; undefined without values. A rate's interval is clipped to [−1, 1]. Interval and
 * p-value allow for all looks at the difference.
 */
export function differenceOf(
  x: readonly number[],
  y: readonly number[],
  { looks = [], ...metric }: { unit: string; looks?: Looks | undefined },
): Difference | undefined {
  const [a, b] = [x, y].map((values) => values.filter(Number.isFinite));
  if (!a || !b || a.length === 0 || b.length === 0) return undefined;
  const { difference, interval, p } = welchTest(a, b, 1 - nominalLevel(0.05, looks));
  const isTested = Math.min(a.length, b.length) >= evidenceRules.forIntervals && Number.isFinite(p);
  return {
    value: isResidue(difference, Math.max(Math.abs(mean(a)), Math.abs(mean(b)))) ? 0 : difference,
    interval: !isTested ? null : isRate(metric) ? withinDifferences(interval) : interval,
    p: isTested ? sequentialP(p, looks) : null,
    pairing: "unpaired",
  };
}

function withinDifferences({ low, high }: Interval): Interval {
  return { low: Math.max(-1, low), high: Math.min(1, high) };
}

/** True if a number is only rounding error, compared with the size of its operands, as is 0.3 − (0.1 + 0.2). */
function isResidue(x: number, size: number): boolean {
  return Math.abs(x) <= 1e-12 * Math.abs(size);
}
