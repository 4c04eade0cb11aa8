import type { Point } from "#packages/detector";
import { formatCount, formatValue } from "#packages/base";
import { median } from "#packages/statistics";
import { describeMetric } from "#trainer/spec/metric.ts";

/** Finite values of a metric before the collapse. */
export type Values = { key: string; points: readonly { iteration: number; value: number }[] };

/** Reads the first of these metrics that has at least three values before iteration `end`. */
export function readValues(points: readonly Point[], keys: readonly string[], end: number): Values | undefined {
  for (const key of keys) {
    const found = points.flatMap(({ iteration, values }) => {
      const value = values[key];
      return value !== undefined && Number.isFinite(value) && iteration < end ? [{ iteration, value }] : [];
    });
    if (found.length >= 3) return { key, points: found };
  }
  return undefined;
}

/** Median of the first third of the values before the fall, at least three; null if there are fewer. */
export function usualOf({ points }: Values, onset: number): number | null {
  const before = points.filter(({ iteration }) => iteration < onset).map(({ value }) => value);
  return before.length < 3 ? null : median(before.slice(0, Math.max(3, Math.ceil(before.length / 3))));
}

export function medianBefore({ points }: Values, onset: number): number {
  const before = points.filter(({ iteration }) => iteration <= onset);
  return median((before.length < 3 ? points.slice(0, 3) : before).map(({ value }) => value));
}

/** Medians of the last five values before the fall, and of the last three up to the collapse. */
export function compareAround({ points }: Values, onset: number): readonly [number, number] {
  const before = points.filter(({ iteration }) => iteration <= onset).slice(-5);
  const after = points.filter(({ iteration }) => iteration > onset).slice(-3);
  return [median(before.map(({ value }) => value)), median(after.map(({ value }) => value))];
}

/** Iteration at which success began to fall or, in a run without a label, that of its alarm. */
export type Fall = { onset: number; isAlarm: boolean };

type Extreme = { iteration: number; value: number };

/**
 * Returns the most extreme value beyond the limit, up to the fall if it was reached before. The value before it must be
 * beyond the limit, too, so that a single outlier is no evidence.
 */
export function findBeyond(
  values: Values,
  { limit, isBelow = false, onset }: { limit: number; isBelow?: boolean; onset: number },
): (Extreme & { first: number }) | undefined {
  const sign = isBelow ? -1 : 1;
  const isBeyond = (one: Extreme | undefined) => one !== undefined && sign * one.value >= sign * limit;
  const beyond = values.points.filter((one, i) => isBeyond(one) && isBeyond(values.points[i - 1]));
  const [first] = beyond;
  if (!first) return undefined;
  const early = beyond.filter(({ iteration }) => iteration <= Math.max(onset, first.iteration));
  const extreme = early.reduce((most, one) => (sign * one.value > sign * most.value ? one : most));
  return { ...extreme, first: first.iteration };
}

/** Writes "Entropy fell from 0.15 to 0.01 at iteration 30, 4 iterations before success fell". */
export function describeMove(
  { key, usual }: { key: string; usual: number | null },
  { iteration, value }: Extreme,
  fall: Fall,
): string {
  const now = `${write(key, value)} at iteration ${iteration}`;
  const moved =
    usual === null ? `was ${now}` : `${value >= usual ? "rose" : "fell"} from ${write(key, usual)} to ${now}`;
  return `${nameMetric(key)} ${moved}, ${describeLead(iteration, fall)}`;
}

export function nameMetric(key: string): string {
  return describeMetric(key).title;
}

export function write(key: string, value: number): string {
  return describeMetric(key).unit === "fraction" ? `${Math.round(100 * value)} %` : formatValue(value);
}

export function describeLead(iteration: number, { onset, isAlarm }: Fall): string {
  if (iteration === onset) return isAlarm ? "at the alarm" : "when success began to fall";
  const distance = formatCount(Math.abs(onset - iteration), "iteration");
  if (iteration > onset) return `${distance} after success began to fall`;
  return `${distance} before ${isAlarm ? "the alarm" : "success fell"}`;
}
