import { isTied } from "./ranks.ts";

/** A score, a flag for the event that it should predict, and the unit (a seed) by which scores are resampled. */
export type Scored = { value: number; isEvent: boolean; unit: number };

/**
 * Prepares the area under the ROC curve for many resamples of units. The area is the probability that an event has a
 * higher score than a non-event, where ties count half. The returned function takes the number of times that each
 * unit occurs in a resample, (numUnits,). It returns NaN if there is no event or no non-event.
 * @param ascending scores in ascending order, without NaN
 * @param numUnits number of units; the units of the scores are integers from 0 to numUnits - 1
 */
export function makeRocArea(ascending: readonly Scored[], numUnits: number): (weights: ArrayLike<number>) => number {
  // Row i, column j: pairs in which an event of unit i has a higher score than a non-event of unit j. All sums are
  // multiples of one half, so they are exact.
  const won = new Float64Array(numUnits * numUnits);
  const [events, others] = [new Float64Array(numUnits), new Float64Array(numUnits)];
  for (let i = 0; i < ascending.length;) {
    const first = ascending[i]?.value ?? NaN;
    const [eventsHere, othersHere] = [new Float64Array(numUnits), new Float64Array(numUnits)];
    for (; i < ascending.length && isTied(ascending[i]?.value ?? NaN, first); i++) {
      const { isEvent = false, unit = -1 } = ascending[i] ?? {};
      add(isEvent ? eventsHere : othersHere, unit, 1);
    }
    for (const [unit, count] of eventsHere.entries()) {
      if (count === 0) continue;
      add(events, unit, count);
      for (let other = 0; other < numUnits; other++) {
        add(won, unit * numUnits + other, count * ((others[other] ?? 0) + (othersHere[other] ?? 0) / 2));
      }
    }
    for (const [unit, count] of othersHere.entries()) add(others, unit, count);
  }
  return (weights) => {
    let area = 0;
    for (let unit = 0; unit < numUnits; unit++) {
      const weight = weights[unit] ?? 0;
      if (weight === 0) continue;
      for (let other = 0; other < numUnits; other++) {
        area += weight * (weights[other] ?? 0) * (won[unit * numUnits + other] ?? 0);
      }
    }
    return area / (weigh(events, weights) * weigh(others, weights));
  };
}

function add(sums: Float64Array, at: number, amount: number): void {
  sums[at] = (sums[at] ?? 0) + amount;
}

function weigh(counts: Float64Array, weights: ArrayLike<number>): number {
  return counts.reduce((sum, count, unit) => sum + count * (weights[unit] ?? 0), 0);
}
