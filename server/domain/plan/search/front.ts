import { referenceOf } from "./order.ts";
import { frontRanks, hypervolume } from "./pareto.ts";

/** A trial trained with the full budget, and its loss per objective; smaller is better. */
export type Judged = { number: number; losses: readonly number[] };

export type Front = {
  /** Numbers of the trials on the Pareto front. */
  numbers: number[];
  /**
   * Fraction of a box in objective space that the trials up to each number dominate. The box extends from the best
   * value of each objective to a tenth beyond the worst. At 1, a single trial is best in all objectives.
   */
  shares: { number: number; share: number }[];
};

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
