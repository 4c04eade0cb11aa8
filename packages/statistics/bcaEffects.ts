import { normalQuantile, normalUpperTail } from "./distributions.ts";
import { mean } from "./summary.ts";
import { resample } from "./bootstrap.ts";
import type { Pair, PairedEffect } from "./pairedEffects.ts";
import type { Interval } from "./rates.ts";
import { prepareRestrictedMean, type Duration } from "./survival.ts";

/**
 * Bootstrap intervals (BCa) within strata, with which tables up to tables-4 were proved. They are too narrow for few
 * pairs, so current tables use `pairedEffects.ts`.
 */
type BcaEffect = Pick<PairedEffect, "difference" | "interval" | "numPairs">;

/** Difference of restricted means, x minus y. Strata are weighted by numbers of pairs. NaN without a pair. */
export function bcaRestrictedMean(strata: readonly (readonly Pair<Duration>[])[], horizon: number): BcaEffect {
  const isWatched = ({ time, isEvent }: Duration): boolean => isEvent || time >= horizon;
  if (strata.flat().every(({ x, y }) => isWatched(x) && isWatched(y))) {
    // If no run is censored before the horizon, the area under the survival curve is the mean of the observed times.
    const watched = ({ time }: Duration): number => Math.min(time, horizon);
    return bcaDifference(strata.map((pairs) => pairs.map(({ x, y }) => ({ x: watched(x), y: watched(y) }))));
  }
  const meanOf = prepareRestrictedMean(
    strata.flat().flatMap(({ x, y }) => [x, y]),
    horizon,
  );
  return resampleEffect(strata, (pairs) => meanOf(pairs.map(({ x }) => x)) - meanOf(pairs.map(({ y }) => y)));
}

/** Difference of means, x minus y, weighted and resampled as in `bcaRestrictedMean`. */
export function bcaDifference(strata: readonly (readonly Pair<number>[])[]): BcaEffect {
  return resampleEffect(strata, (pairs) => pairs.reduce((sum, { x, y }) => sum + x - y, 0) / pairs.length);
}

function resampleEffect<Unit>(
  given: readonly (readonly Unit[])[],
  effectOf: (pairs: readonly Unit[]) => number,
): BcaEffect {
  const strata = given.filter(({ length }) => length > 0);
  const numPairs = strata.reduce((sum, { length }) => sum + length, 0);
  if (numPairs === 0) return { difference: NaN, interval: { low: NaN, high: NaN }, numPairs };
  const effect = (drawn: readonly (readonly Unit[])[]): number =>
    drawn.reduce((sum, pairs) => sum + (pairs.length * effectOf(pairs)) / numPairs, 0);
  const { draws, numResamples } = resample(strata, {});
  const replicates = new Float64Array(numResamples);
  let i = 0;
  for (const draw of draws) replicates[i++] = effect(draw);
  const difference = effect(strata);
  const withoutOne = strata.map((pairs, s) =>
    // The only pair of a stratum cannot be left out.
    pairs.length === 1 ? [difference] : pairs.map((_, u) => effectWithout(strata, { s, u }, effectOf)),
  );
  const interval = bcaInterval({ estimate: difference, replicates, withoutOne });
  return { difference, interval, numPairs };
}

/** Computes the effect without one pair (index u in stratum s). Every stratum keeps its weight. */
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

type Resampled = {
  estimate: number;
  replicates: Float64Array;
  /** Jackknife values of the statistic, each with one pair left out, by stratum. */
  withoutOne: readonly (readonly number[])[];
};

/**
 * Returns the bias-corrected and accelerated bootstrap interval (Efron 1987; several samples as in
 * `scipy.stats.bootstrap`). If every resample equals the estimate, both limits are the estimate. NaN if all resamples
 * lie on one side of the estimate.
 */
function bcaInterval({ estimate, replicates, withoutOne }: Resampled, level = 0.95): Interval {
  const sorted = replicates.toSorted();
  if (sorted[0] === sorted.at(-1)) return { low: estimate, high: estimate };
  const below = sorted.filter((x) => x < estimate).length;
  const upTo = sorted.filter((x) => x <= estimate).length;
  const bias = normalQuantile((below + upTo) / (2 * sorted.length));
  if (!Number.isFinite(bias)) return { low: NaN, high: NaN };
  const acceleration = accelerationOf(withoutOne);
  const at = (p: number): number => {
    const z = bias + normalQuantile(p);
    const share = normalUpperTail(-(bias + z / (1 - acceleration * z)));
    return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length - 1e-9) - 1))] ?? NaN;
  };
  return { low: at((1 - level) / 2), high: at((1 + level) / 2) };
}

/** Acceleration constant from the jackknife values; 0 if no pair influences the statistic. */
function accelerationOf(withoutOne: Resampled["withoutOne"]): number {
  let [cubes, squares] = [0, 0];
  for (const values of withoutOne) {
    const [n, centre] = [values.length, mean(values)];
    for (const value of values) {
      const influence = ((n - 1) * (centre - value)) / n;
      cubes += influence ** 3;
      squares += influence ** 2;
    }
  }
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
}
