/**
 * Latest time at which a change still prevents a collapse. For one origin (collapsed run) the time is an iteration;
 * over several origins it is counted in iterations before the first alarm.
 */
export type LatestSaving = {
  arm: string;
  /** Latest time that still prevents a collapse. Null, also in the interval, if no tried time prevents it. */
  at: number | null;
  /** 95 % bootstrap interval: origins are resampled, then branches within each origin. */
  interval: { low: number | null; high: number | null };
};

/** Describes the time: "Learning rate ÷ 5: after 15 [5, 25]", or "before 10 [20, 0]" (before the first alarm). */
export function describeLatest({ arm, at, interval: { low, high } }: LatestSaving, unit: "after" | "before"): string {
  const toText = (time: number | null): string => (time === null ? "none" : String(time));
  const found = unit === "after" ? `after ${at}` : at === 0 ? "at the alarm" : `${at} before`;
  const value = at === null ? "none of the tried times" : found;
  return `${arm}: ${value} [${toText(low)}, ${toText(high)}]`;
}
