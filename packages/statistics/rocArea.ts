import { isTied } from "./ranks.ts";

/** A score, a flag for the event that it should predict, and the unit (a seed) by which scores are resampled. */
export type Scored = { value: number; isEvent: boolean; unit: number };

/**
 * Computes the area under the ROC curve: the probability that an event has a higher score than a non-event, where
 * ties count half. NaN if there is no event or no non-event.
 * @param ascending scores in ascending order, without NaN
 * @param weights number of times that each unit occurs in the resample
 */
export function rocArea(ascending: readonly Scored[], weights: ArrayLike<number>): number {
  let [area, events, others] = [0, 0, 0];
  for (let i = 0; i < ascending.length;) {
    const value = ascending[i]?.value ?? NaN;
    let [eventsHere, othersHere] = [0, 0];
    for (; i < ascending.length && isTied(ascending[i]?.value ?? NaN, value); i++) {
      const { isEvent = false, unit = -1 } = ascending[i] ?? {};
      const weight = weights[unit] ?? 0;
      if (isEvent) eventsHere += weight;
      else othersHere += weight;
    }
    area += eventsHere * (others + othersHere / 2);
    events += eventsHere;
    others += othersHere;
  }
  return area / (events * others);
}
