import { type Curve, median } from "#packages/statistics";
import { noiseOf } from "#packages/detector";
import type { ClimbSignal } from "./signals.ts";

/** A signal's range comes from its first training iterations; it has left it after so many consecutive values above. */
export const rangeRule = { values: 10, fewest: 5, noises: 3.5, inARow: 3 } as const;

export const rangeSentence =
  `A signal's range is the median of its first ${rangeRule.values} iterations of training (between sampler and trainer: once the lag is full; those before the fall, at least ${rangeRule.fewest}) and, ` +
  `above it, the larger of ${rangeRule.noises} noises and the smallest change that matters: × 2.5 of a KL old → new or k3, × 1.8 of a KL to the ` +
  `reference, × 2 of a gradient norm, .25 on the arcsine scale of the share. It has left at the first of ${rangeRule.inARow} values in a row above.`;

/** First time a signal left its range, in hindsight; `never` if it was logged but stayed inside. */
export type Leaving = { kind: "left"; iteration: number } | { kind: "never" } | { kind: "unknown" };

/**
 * @param curve ascending iterations @param span first iteration considered, and the first one excluded from the range:
 * for a collapsed run the onset of its fall
 */
export function findLeaving(curve: Curve, signal: ClimbSignal, { from = 1, until = Infinity } = {}): Leaving {
  const values = Array.from(curve.values, (value, i) => ({ iteration: curve.iterations[i] ?? 0, value })).filter(
    ({ iteration }) => iteration >= from,
  );
  const first = values
    .slice(0, rangeRule.values)
    .filter(({ iteration, value }) => iteration < until && Number.isFinite(value))
    .map(({ value }) => signal.transform(value));
  if (first.length < rangeRule.fewest) return { kind: "unknown" };
  const noise = Math.max(signal.floor, noiseOf(first));
  const limit = median(first) + Math.max(signal.rise, rangeRule.noises * noise);
  let since: number | undefined;
  let numAbove = 0;
  for (const { iteration, value } of values) {
    // NaN is outside every range: an overflow has left it.
    const isAbove = !(signal.transform(value) <= limit);
    numAbove = isAbove ? numAbove + 1 : 0;
    since = isAbove ? (since ?? iteration) : undefined;
    if (since !== undefined && numAbove >= rangeRule.inARow) return { kind: "left", iteration: since };
  }
  return { kind: "never" };
}
