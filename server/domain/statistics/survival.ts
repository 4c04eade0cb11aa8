import { normalQuantile } from "./distributions.ts";
import type { Interval } from "./rates.ts";

/** How long something was watched, and whether it ended in the event (a collapse, a threshold) or the watching ended first. */
export type Duration = { time: number; isEvent: boolean };

/** Two samples that are compared with each other alone: under the same task and settings. */
export type Stratum = { x: readonly Duration[]; y: readonly Duration[] };

export type SurvivalPoint = {
  time: number;
  /** Watched until just before `time`; ended in the event at it; left unfinished at it. */
  numAtRisk: number;
  numEvents: number;
  numCensored: number;
  /** Share without the event just after `time`. */
  survival: number;
  /** By the log(−log) transform, which stays within [0, 1]. NaN before the first event and at survival 0. */
  interval: Interval;
};

/** Kaplan–Meier estimate at every time at which anything happened, ascending. Censored runs count until they leave. */
export function kaplanMeier(durations: readonly Duration[], level = 0.95): SurvivalPoint[] {
  const z = normalQuantile((1 + level) / 2);
  const times = [...new Set(durations.map(({ time }) => time))].sort((a, b) => a - b);
  let [survival, greenwood] = [1, 0];
  return times.map((time) => {
    const now = durations.filter((duration) => duration.time === time);
    const numAtRisk = durations.filter((duration) => duration.time >= time).length;
    const numEvents = now.filter(({ isEvent }) => isEvent).length;
    survival *= 1 - numEvents / numAtRisk;
    greenwood += numEvents / (numAtRisk * (numAtRisk - numEvents));
    const reach = (z * Math.sqrt(greenwood)) / Math.log(survival);
    const isOpen = survival > 0 && survival < 1;
    const interval = isOpen
      ? { low: survival ** Math.exp(-reach), high: survival ** Math.exp(reach) }
      : { low: NaN, high: NaN };
    return { time, numAtRisk, numEvents, numCensored: now.length - numEvents, survival, interval };
  });
}

/** The first time at which half or fewer are without the event; undefined if more than half never had it. */
export function medianSurvival(curve: readonly SurvivalPoint[]): number | undefined {
  return curve.find(({ survival }) => survival <= 0.5 + 1e-12)?.time;
}

export type RestrictedMean = { value: number; standardError: number; interval: Interval; horizon: number };

/**
 * Restricted mean survival time: the mean of min(time, horizon) that censoring lets one know, the area under the curve
 * up to the horizon. The last value is carried on where nothing was watched for so long.
 */
export function restrictedMean(durations: readonly Duration[], horizon: number, level = 0.95): RestrictedMean {
  const steps = kaplanMeier(durations).filter(({ time, numEvents }) => numEvents > 0 && time < horizon);
  const ends = [...steps.slice(1).map(({ time }) => time), horizon];
  const areas = steps.map(({ time, survival }, i) => survival * ((ends[i] ?? horizon) - time));
  const value = (steps[0]?.time ?? horizon) + areas.reduce((sum, area) => sum + area, 0);
  // Greenwood: each event's share, weighted by the area that is left after it.
  const variance = steps.reduce((sum, { numAtRisk, numEvents }, i) => {
    const left = areas.slice(i).reduce((total, area) => total + area, 0);
    return left === 0 ? sum : sum + (left ** 2 * numEvents) / (numAtRisk * (numAtRisk - numEvents));
  }, 0);
  const standardError = Math.sqrt(variance);
  const reach = normalQuantile((1 + level) / 2) * standardError;
  return { value, standardError, interval: { low: value - reach, high: value + reach }, horizon };
}
