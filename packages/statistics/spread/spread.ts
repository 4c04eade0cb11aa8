import { evidenceRules } from "../evidence.ts";
import { withinRates, type Interval } from "../rates.ts";
import { halfWidthOf } from "../distributions.ts";
import { mean, std } from "../summary.ts";
import { welchTest } from "../twoSampleTests.ts";

/** One value a seed as every page, file and command tells it: the mean, and how far the mean of other seeds may lie. */
export type Spread = {
  /** NaN without a value. */
  mean: number;
  /** Seeds with a finite value. */
  n: number;
  /** 95 % t interval of the mean, for a rate within 0 and 1. Null below three seeds, and where all gave one value. */
  interval: Interval | null;
};

/** Metrics whose values lie within 0 and 1. */
export function isRate({ unit }: { unit: string }): boolean {
  return unit === "fraction";
}

/** @param metric its unit says whether the interval ends at 0 and 1 */
export function spreadOf(values: readonly number[], metric: { unit: string }): Spread {
  const finite = values.filter(Number.isFinite);
  return spreadFrom({ mean: mean(finite), std: std(finite), n: finite.length }, metric);
}

export type Moments = { mean: number; std: number; n: number };

/** The same from what is stored of many values. */
export function spreadFrom({ mean: centre, std: deviation, n }: Moments, metric: { unit: string }): Spread {
  const halfWidth = n < evidenceRules.forIntervals ? NaN : halfWidthOf(n, deviation / Math.sqrt(n));
  // Seeds that never vary tell nothing of how far another would lie from them.
  if (!Number.isFinite(halfWidth) || isResidue(halfWidth, centre)) return { mean: centre, n, interval: null };
  const around = { low: centre - halfWidth, high: centre + halfWidth };
  return { mean: centre, n, interval: isRate(metric) ? withinRates(around) : around };
}

/** One configuration's value minus another's. */
export type Difference = {
  /** Exactly zero where the rest is floating-point residue. */
  value: number;
  /** Welch's 95 % interval: no seed of one is set against a seed of the other. Null below three seeds a side. */
  interval: Interval | null;
  /** Two-sided; null where there is no interval. */
  p: number | null;
  pairing: "unpaired";
};

/** Means of two samples of seeds; undefined where a side has no value. Rates differ by 1 at the outside. */
export function differenceOf(
  x: readonly number[],
  y: readonly number[],
  metric: { unit: string },
): Difference | undefined {
  const [a, b] = [x, y].map((values) => values.filter(Number.isFinite));
  if (!a || !b || a.length === 0 || b.length === 0) return undefined;
  const { difference, interval, p } = welchTest(a, b);
  const isTested = Math.min(a.length, b.length) >= evidenceRules.forIntervals && Number.isFinite(p);
  return {
    value: isResidue(difference, Math.max(Math.abs(mean(a)), Math.abs(mean(b)))) ? 0 : difference,
    interval: !isTested ? null : isRate(metric) ? withinDifferences(interval) : interval,
    p: isTested ? p : null,
    pairing: "unpaired",
  };
}

function withinDifferences({ low, high }: Interval): Interval {
  return { low: Math.max(-1, low), high: Math.min(1, high) };
}

/** Too small beside what it was computed from to be more than rounding: 0.3 − (0.1 + 0.2). */
function isResidue(x: number, size: number): boolean {
  return Math.abs(x) <= 1e-12 * Math.abs(size);
}
