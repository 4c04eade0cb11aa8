import { differenceOf, spreadOf, type Difference, type Spread } from "#packages/statistics";

/** A configuration's final value and its difference from the first one; undefined for the first itself. */
export type ComparedValue = Spread & { difference?: Difference | undefined };

/** One value per seed, by configuration. Differences are not corrected for multiple comparisons. */
export function compareValues(samples: readonly (readonly number[])[], metric: { unit: string }): ComparedValue[] {
  const [first = []] = samples;
  return samples.map((values, i) => ({
    ...spreadOf(values, metric),
    difference: i === 0 ? undefined : differenceOf(values, first, metric),
  }));
}
