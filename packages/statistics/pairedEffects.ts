import { tQuantile, tUpperTail } from "./distributions.ts";
import { type Looks, nominalLevel, sequentialP } from "./groupSequential.ts";
import type { Interval } from "./rates.ts";
import { isConstant, mean, sem } from "./summary.ts";
import { prepareRestrictedMean, type Duration } from "./survival.ts";

/** Values of one seed under two treatments x and y. */
export type Pair<Value> = { x: Value; y: Value };

/**
 * Mean of x minus mean of y. Interval (95 %) and test are Student's t over the same units, so they never disagree. Both
 * are NaN with fewer than two units, or if all units are equal. Both allow for all looks at the difference.
 */
export type PairedEffect = {
  difference: number;
  interval: Interval;
  /** Two-sided p-value. */
  p: number;
  /** Standard error of the difference. */
  error: number;
  numPairs: number;
  /** Independent observations: pairs, or clusters of pairs. */
  numUnits: number;
};

/** Difference of means of rates, x minus y; each pair is a unit. */
export function pairedDifference(pairs: readonly Pair<number>[], looks: Looks = []): PairedEffect {
  return toEffect(pairs.map(toDifference), { numPairs: pairs.length, limit: 1, looks });
}

/**
 * Difference of rates as the mean over clusters of pairs. Each cluster is a unit, whatever its size, because its pairs
 * share what makes them alike. With a single cluster, its pairs are the units.
 */
export function clusteredDifference(clusters: readonly (readonly Pair<number>[])[]): PairedEffect {
  const filled = clusters.filter(({ length }) => length > 0);
  if (filled.length < 2) return pairedDifference(filled.flat());
  const units = filled.map((pairs) => mean(pairs.map(toDifference)));
  return toEffect(units, { numPairs: filled.flat().length, limit: 1 });
}

/**
 * Difference of restricted means, x minus y. Strata are weighted by numbers of pairs, and each pair is a unit. Its value
 * is the jackknife's pseudo-value within its stratum (Andersen et al., Biometrika 90, 2003): without a run that is
 * censored before the horizon, the pair's own difference.
 */
export function pairedRestrictedMean(
  strata: readonly (readonly Pair<Duration>[])[],
  horizon: number,
  looks: Looks = [],
): PairedEffect {
  const filled = strata.filter(({ length }) => length > 0);
  const numPairs = filled.flat().length;
  const effectOf = prepareEffect(filled, horizon);
  const units = filled.flatMap((pairs) => {
    if (pairs.length === 1) return [effectOf(pairs)];
    const total = pairs.length * effectOf(pairs);
    return pairs.map((_, u) => total - (pairs.length - 1) * effectOf(pairs.filter((__, i) => i !== u)));
  });
  const difference = filled.reduce((sum, pairs) => sum + (pairs.length * effectOf(pairs)) / numPairs, 0);
  return toEffect(units, { numPairs, limit: horizon, difference: numPairs === 0 ? NaN : difference, looks });
}

/** Difference of restricted means, x minus y, with clusters as in `clusteredDifference`. */
export function clusteredRestrictedMean(
  clusters: readonly (readonly Pair<Duration>[])[],
  horizon: number,
): PairedEffect {
  const filled = clusters.filter(({ length }) => length > 0);
  if (filled.length < 2) return pairedRestrictedMean(filled, horizon);
  return toEffect(filled.map(prepareEffect(filled, horizon)), { numPairs: filled.flat().length, limit: horizon });
}

function prepareEffect(strata: readonly (readonly Pair<Duration>[])[], horizon: number) {
  const known = strata.flat().flatMap(({ x, y }) => [x, y]);
  const meanOf = prepareRestrictedMean(known, horizon);
  return (pairs: readonly Pair<Duration>[]): number =>
    meanOf(pairs.map(({ x }) => x)) - meanOf(pairs.map(({ y }) => y));
}

function toDifference({ x, y }: Pair<number>): number {
  return x - y;
}

type Sized = { numPairs: number; limit: number; difference?: number; looks?: Looks };

/** @param limit greatest possible absolute difference, at which the interval is cut */
function toEffect(
  units: readonly number[],
  { numPairs, limit, difference = mean(units), looks = [] }: Sized,
): PairedEffect {
  const numUnits = units.length;
  const sized = { difference, numPairs, numUnits };
  if (numUnits < 2 || isConstant(units)) return { ...sized, interval: { low: NaN, high: NaN }, p: NaN, error: NaN };
  const [error, df] = [sem(units), numUnits - 1];
  const half = tQuantile(1 - nominalLevel(0.05, looks) / 2, df) * error;
  const interval = { low: Math.max(-limit, difference - half), high: Math.min(limit, difference + half) };
  const p = Math.min(1, 2 * tUpperTail(Math.abs(difference) / error, df));
  return { ...sized, interval, p: sequentialP(p, looks), error };
}
