import { referenceOf } from "./order.ts";
import { frontRanks, hypervolume } from "./pareto.ts";

/** A trial that was trained whole, by what it came to in each objective; smaller is better. */
export type Judged = { number: number; losses: readonly number[] };

export type Front = {
  /** Numbers of the trials that no other is better than in all objectives. */
  numbers: number[];
  /**
   * After each trial, in the order of their numbers: the share of the box between the best value of every objective and
   * a tenth beyond its worst that the trials so far dominate. 1 would be one trial that is best in all.
   */
  shares: { number: number; share: number }[];
};

/** What the trials of an arm with several objectives have come to together. */
export function describeFront(trials: readonly Judged[]): Front {
  const sound = trials.filter(({ losses }) => losses.every(Number.isFinite)).toSorted((a, b) => a.number - b.number);
  if (sound.length === 0) return { numbers: [], shares: [] };
  const losses = sound.map((trial) => trial.losses);
  const ranks = frontRanks(losses);
  const reference = referenceOf(losses);
  const ideal = reference.map((_, m) => Math.min(...losses.map((row) => row[m] ?? NaN)));
  const box = reference.reduce((volume, worst, m) => volume * (worst - (ideal[m] ?? NaN)), 1);
  return {
    numbers: sound.filter((_, i) => ranks[i] === 0).map(({ number }) => number),
    shares: sound.map(({ number }, i) => ({ number, share: hypervolume(losses.slice(0, i + 1), reference) / box })),
  };
}
