/**
 * Latest time at which a change still prevents a collapse. For one origin it is an iteration; over several origins it
 * is counted in iterations before the alarm.
 */
export type LatestSaving = {
  arm: string;
  /** Latest time that still prevents a collapse; null, also in the interval: none of the tried times does. */
  at: number | null;
  /** 95 % bootstrap interval (resamples origins, then branches). */
  interval: { low: number | null; high: number | null };
};

/** For example "Learning rate ÷ 5: after 15 [5, 25]", or "before 10 [20, 0]" for iterations before the first alarm. */
export function describeLatest({ arm, at, interval: { low, high } }: LatestSaving, unit: "after" | "before"): string {
  const toText = (time: number | null): string => (time === null ? "none" : String(time));
  const found = unit === "after" ? `after ${at}` : at === 0 ? "at the alarm" : `${at} before`;
  const value = at === null ? "none of those tried" : found;
  return `${arm}: ${value} [${toText(low)}, ${toText(high)}]`;
}
