import { bootstrapAll } from "./bootstrap.ts";
import { rank } from "./ranks.ts";
import type { Interval } from "./rates.ts";
import { mean } from "./summary.ts";

export type RankInterval = {
  /** Rank of the mean, 1 for the best; equal means share their mean rank. */
  rank: number;
  /** Percentile interval of the rank over resamples of each configuration's runs, with integer limits. */
  interval: Interval;
};

/** Number of bootstrap resamples. More resamples would not change an interval of integer ranks. */
const numResamples = 2000;

/**
 * Ranks configurations by their means, with bootstrap intervals: the runs of each configuration are resampled with
 * replacement, independently of other configurations. With fewer than ten runs the interval is too narrow.
 * @param samples values of each configuration, at least one
 */
export function rankWithIntervals(samples: readonly (readonly number[])[], better: "up" | "down"): RankInterval[] {
  const sign = better === "up" ? -1 : 1;
  const ranksOf = (drawn: readonly (readonly number[])[]) => rank(drawn.map((values) => sign * mean(values))).ranks;
  return bootstrapAll(samples, ranksOf, { numResamples }).map(({ estimate, interval }) => ({
    rank: estimate,
    interval: { low: Math.floor(interval.low), high: Math.ceil(interval.high) },
  }));
}
