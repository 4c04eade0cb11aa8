import { bootstrapAll } from "./bootstrap.ts";
import { rank } from "./ranks.ts";
import type { Interval } from "./rates.ts";
import { mean } from "./summary.ts";

export type RankInterval = {
  /** 1 for the best mean; equal means share the mean of their places. */
  rank: number;
  /** Percentile interval of the rank over resamples of each configuration's runs, in whole places. */
  interval: Interval;
};

/** Resamples: a rank is a whole number, whose interval more of them would not move. */
const numResamples = 2000;

/**
 * Where configurations stand by their means, and how far that could have come out otherwise: each draws its runs anew,
 * with replacement, independently of the others. Below ten runs each the interval is too short, as any bootstrap's.
 * @param samples values of each configuration, one at least
 */
export function rankWithIntervals(samples: readonly (readonly number[])[], better: "up" | "down"): RankInterval[] {
  const sign = better === "up" ? -1 : 1;
  const ranksOf = (drawn: readonly (readonly number[])[]) => rank(drawn.map((values) => sign * mean(values))).ranks;
  return bootstrapAll(samples, ranksOf, { numResamples }).map(({ estimate, interval }) => ({
    rank: estimate,
    interval: { low: Math.floor(interval.low), high: Math.ceil(interval.high) },
  }));
}
