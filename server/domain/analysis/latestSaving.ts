/**
 * Latest time at which a change to a collapsing run prevents the collapse: the iteration, or over several runs the
 * iterations before the first alarm.
 */
export type LatestSaving = {
  arm: string;
  /** Null, also in the interval, if no tried time prevents a collapse. */
  at: number | null;
  /** 95 % bootstrap interval: collapsed runs are resampled, then the branches of each. */
  interval: { low: number | null; high: number | null };
};

/** Describes the latest saving time: "Learning rate ÷ 5: after 15 [5, 25]", or "… before" the alarm. */
export function describeLatest({ arm, at, interval: { low, high } }: LatestSaving, unit: "after" | "before"): string {
  const toText = (time: number | null): string => (time === null ? "none" : String(time));
  const found = unit === "after" ? `after ${at}` : at === 0 ? "at the alarm" : `${at} before`;
  const value = at === null ? "none of the tried times" : found;
  return `${arm}: ${value} [${toText(low)}, ${toText(high)}]`;
}
