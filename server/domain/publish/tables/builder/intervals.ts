import { bootstrapAll, type Interval, evidenceRules, mean } from "#packages/statistics";
import { groupBy } from "#packages/base";

type Sample = readonly number[];

// Batch size: each sample keeps 10,000 means until its interval is known.
const maxAtOnce = 200;

/**
 * Bootstrap intervals of sample means, identical to `bootstrap` alone. Samples of one size share resampled indices,
 * which are drawn once. With three seeds an interval would cover 75 % instead of 95 %, with five 85 %; below five there
 * is none.
 */
export function bootstrapIntervals(samples: readonly Sample[]): ReadonlyMap<Sample, Interval> {
  const large = samples.filter(({ length }) => length >= evidenceRules.forStars);
  const intervals = new Map<Sample, Interval>();
  for (const [size, all] of groupBy(large, ({ length }) => length)) {
    for (let from = 0; from < all.length; from += maxAtOnce) {
      const some = all.slice(from, from + maxAtOnce);
      const boots = bootstrapAll([Array.from({ length: size }, (_, i) => i)], ([indices = []]) =>
        some.map((sample) => meanAt(sample, indices)),
      );
      for (const [i, { interval }] of boots.entries()) intervals.set(some[i] ?? [], interval);
    }
  }
  return intervals;
}

/** Sums in index order, like `mean` of the values themselves. */
function meanAt(sample: Sample, indices: readonly number[]): number {
  if (indices.length === 0) return mean([]);
  let sum = 0;
  for (const index of indices) sum += sample[index] ?? NaN;
  return sum / indices.length;
}
