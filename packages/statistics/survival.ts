import { normalQuantile } from "./distributions.ts";
import type { Interval } from "./rates.ts";

/** `isEvent`: a collapse, or reaching a threshold, happened at that time; otherwise the run was censored. */
export type Duration = { time: number; isEvent: boolean };

/** Two samples of runs with the same task and settings, which are compared only with each other. */
export type Stratum = { x: readonly Duration[]; y: readonly Duration[] };

export type SurvivalPoint = {
  time: number;
  /** Number of runs at risk just before `time`, and numbers of events and of censored runs at `time`. */
  numAtRisk: number;
  numEvents: number;
  numCensored: number;
  /** Fraction of runs without the event just after `time`. */
  survival: number;
  /** Interval by the log(−log) transform, within [0, 1]; NaN before the first event and at survival 0. */
  interval: Interval;
};

/** Computes the Kaplan–Meier estimate at every time with an event or censoring, ascending. */
export function kaplanMeier(durations: readonly Duration[], level = 0.95): SurvivalPoint[] {
  const z = normalQuantile((1 + level) / 2);
  let [survival, greenwood] = [1, 0];
  return countByTime(durations).map(({ time, numAtRisk, numEvents, numCensored }) => {
    survival *= 1 - numEvents / numAtRisk;
    greenwood += numEvents / (numAtRisk * (numAtRisk - numEvents));
    const reach = (z * Math.sqrt(greenwood)) / Math.log(survival);
    const isOpen = survival > 0 && survival < 1;
    const interval = isOpen
      ? { low: survival ** Math.exp(-reach), high: survival ** Math.exp(reach) }
      : { low: NaN, high: NaN };
    return { time, numAtRisk, numEvents, numCensored, survival, interval };
  });
}

type Count = Pick<SurvivalPoint, "time" | "numAtRisk" | "numEvents" | "numCensored">;

function countByTime(durations: readonly Duration[]): Count[] {
  const ascending = durations.toSorted((a, b) => a.time - b.time);
  const counts: Count[] = [];
  let now: Count | undefined;
  for (const [numGone, { time, isEvent }] of ascending.entries()) {
    if (now?.time !== time) {
      now = { time, numAtRisk: durations.length - numGone, numEvents: 0, numCensored: 0 };
      counts.push(now);
    }
    if (isEvent) now.numEvents += 1;
    else now.numCensored += 1;
  }
  return counts;
}

/** Returns the first time at which survival is at most one half; undefined if the curve stays above one half. */
export function medianSurvival(curve: readonly SurvivalPoint[]): number | undefined {
  return curve.find(({ survival }) => survival <= 0.5 + 1e-12)?.time;
}

/** Restricted mean survival time, with its interval clipped to [0, horizon]. */
export type RestrictedMean = { value: number; standardError: number; interval: Interval; horizon: number };

/**
 * Computes the restricted mean survival time: the area under the survival curve up to the horizon, which estimates
 * the mean of min(time, horizon) under censoring. If all observations end before the horizon, the last value of the
 * curve is extended.
 */
export function restrictedMean(durations: readonly Duration[], horizon: number, level = 0.95): RestrictedMean {
  const steps = kaplanMeier(durations).filter(({ time, numEvents }) => numEvents > 0 && time < horizon);
  const ends = [...steps.slice(1).map(({ time }) => time), horizon];
  const areas = steps.map(({ time, survival }, i) => survival * ((ends[i] ?? horizon) - time));
  const value = (steps[0]?.time ?? horizon) + areas.reduce((sum, area) => sum + area, 0);
  // Greenwood's variance: each event is weighted by the squared area that remains after it.
  const variance = steps.reduce((sum, { numAtRisk, numEvents }, i) => {
    const left = areas.slice(i).reduce((total, area) => total + area, 0);
    return left === 0 ? sum : sum + (left ** 2 * numEvents) / (numAtRisk * (numAtRisk - numEvents));
  }, 0);
  const standardError = Math.sqrt(variance);
  const reach = normalQuantile((1 + level) / 2) * standardError;
  const interval = { low: Math.max(0, value - reach), high: Math.min(horizon, value + reach) };
  return { value, standardError, interval, horizon };
}

/** `restrictedMean` without interval, for ten thousands of resamples of the `known` durations, sorted once. */
export function prepareRestrictedMean(
  known: readonly Duration[],
  horizon: number,
): (durations: readonly Duration[]) => number {
  const times = [...new Set(known.map(({ time }) => time))].filter((time) => time < horizon).sort((a, b) => a - b);
  const placeOf = new Map(times.map((time, place) => [time, place]));
  const [numGone, numEvents] = [new Int32Array(times.length), new Int32Array(times.length)];
  return (durations) => {
    numGone.fill(0);
    numEvents.fill(0);
    for (const { time, isEvent } of durations) {
      const place = placeOf.get(time);
      if (place === undefined) continue;
      numGone[place] = (numGone[place] ?? 0) + 1;
      if (isEvent) numEvents[place] = (numEvents[place] ?? 0) + 1;
    }
    let [numAtRisk, survival, area, first, last] = [durations.length, 1, 0, NaN, NaN];
    for (const [place, time] of times.entries()) {
      const events = numEvents[place] ?? 0;
      if (events > 0) {
        if (Number.isNaN(first)) first = time;
        else area += survival * (time - last);
        survival *= 1 - events / numAtRisk;
        last = time;
      }
      numAtRisk -= numGone[place] ?? 0;
    }
    return Number.isNaN(first) ? horizon : first + (area + survival * (horizon - last));
  };
}
