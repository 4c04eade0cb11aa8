import { bcaInterval } from "./bcaInterval.ts";
import { resample } from "./bootstrap.ts";
import type { Interval } from "./rates.ts";
import { prepareRestrictedMean, type Duration } from "./survival.ts";

/** The same seed under two treatments. */
export type Pair<Value> = { x: Value; y: Value };
/** Mean of x minus mean of y, with a 95 % bootstrap interval (BCa) over the pairs of each stratum. */
export type PairedEffect = {
  difference: number;
  interval: Interval;
  numPairs: number;
  /** Absent without a pair. `sampled`: drawn with a fixed seed, because there are too many to enumerate. */
  resamples?: { method: "exact" | "sampled"; num: number };
};

/**
 * Difference of restricted mean survival time up to a horizon; strata are weighted by their number of pairs. NaN
 * without a pair.
 */
export function pairedRestrictedMean(strata: readonly (readonly Pair<Duration>[])[], horizon: number): PairedEffect {
  const isWatched = ({ time, isEvent }: Duration): boolean => isEvent || time >= horizon;
  if (strata.flat().every(({ x, y }) => isWatched(x) && isWatched(y))) {
    // Without censoring before the horizon, the area under the curve is the mean of the observed times.
    const watched = ({ time }: Duration): number => Math.min(time, horizon);
    return pairedDifference(strata.map((pairs) => pairs.map(({ x, y }) => ({ x: watched(x), y: watched(y) }))));
  }
  const meanOf = prepareRestrictedMean(
    strata.flat().flatMap(({ x, y }) => [x, y]),
    horizon,
  );
  return resampleEffect(strata, (pairs) => meanOf(pairs.map(({ x }) => x)) - meanOf(pairs.map(({ y }) => y)));
}

/** Difference of means, weighted and resampled in the same way. */
export function pairedDifference(strata: readonly (readonly Pair<number>[])[]): PairedEffect {
  return resampleEffect(strata, (pairs) => pairs.reduce((sum, { x, y }) => sum + x - y, 0) / pairs.length);
}

function resampleEffect<Unit>(
  given: readonly (readonly Unit[])[],
  effectOf: (pairs: readonly Unit[]) => number,
): PairedEffect {
  const strata = given.filter(({ length }) => length > 0);
  const numPairs = strata.reduce((sum, { length }) => sum + length, 0);
  if (numPairs === 0) return { difference: NaN, interval: { low: NaN, high: NaN }, numPairs };
  const effect = (drawn: readonly (readonly Unit[])[]): number =>
    drawn.reduce((sum, pairs) => sum + (pairs.length * effectOf(pairs)) / numPairs, 0);
  const { draws, numResamples, method } = resample(strata, {});
  const replicates = new Float64Array(numResamples);
  let i = 0;
  for (const draw of draws) replicates[i++] = effect(draw);
  const difference = effect(strata);
  const withoutOne = strata.map((pairs, s) =>
    // A single pair cannot be left out.
    pairs.length === 1 ? [difference] : pairs.map((_, u) => effectWithout(strata, { s, u }, effectOf)),
  );
  const interval = bcaInterval({ estimate: difference, replicates, withoutOne });
  return { difference, interval, numPairs, resamples: { method, num: numResamples } };
}

/** Effect without one pair; every stratum keeps its weight. */
function effectWithout<Unit>(
  strata: readonly (readonly Unit[])[],
  { s, u }: { s: number; u: number },
  effectOf: (pairs: readonly Unit[]) => number,
): number {
  const numPairs = strata.reduce((sum, { length }) => sum + length, 0);
  return strata.reduce((sum, pairs, i) => {
    const kept = i === s ? pairs.filter((_, j) => j !== u) : pairs;
    return sum + (pairs.length * effectOf(kept)) / numPairs;
  }, 0);
}
