/** A value of a score, whether the event followed it, and the unit (a seed) that it is drawn with. */
export type Scored = { value: number; isEvent: boolean; unit: number };

/**
 * Area under the ROC curve: the chance that the score is higher where the event followed than where it did not, ties
 * counting half. NaN where there is nothing to tell apart.
 * @param ascending by value, none of them NaN
 * @param weights how often each unit counts
 */
export function rocArea(ascending: readonly Scored[], weights: ArrayLike<number>): number {
  let [area, events, others] = [0, 0, 0];
  for (let i = 0; i < ascending.length;) {
    const value = ascending[i]?.value;
    let [eventsHere, othersHere] = [0, 0];
    for (; i < ascending.length && ascending[i]?.value === value; i++) {
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
