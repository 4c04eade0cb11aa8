import type { Advantage } from "#trainer/spec/dimensions.ts";
import { baselineOf, meanOf, relativeTo } from "./baseline.ts";
import { episodesOf, groupsOf, type IndexedRow, type Row } from "./row.ts";

type GroupAdvantage = Omit<Extract<Advantage, { kind: "group" }>, "kind">;

/** Unit of one sample in a group's mean and standard deviation: "turns" or "episodes". */
export type Samples = GroupAdvantage["samples"];

/**
 * Group-relative advantages (GRPO, arXiv:2402.03300 §4.1; without division Dr. GRPO, arXiv:2503.20783): A = (s − μ_g)
 * / (σ_g + 1e-6) with the group's mean μ_g and standard deviation σ_g. With `samples` "turns", every turn is one
 * sample, so long episodes have more weight in μ_g and σ_g. With "episodes", every episode is one sample: the mean
 * score of its turns.
 * @param scores (B,) score of each turn
 * @returns (B,); about the score itself in a group of one sample, else 0 in a group whose scores are all equal
 */
export function groupRelative(
  rows: readonly Row[],
  scores: Float64Array,
  { scale, samples }: GroupAdvantage,
): Float64Array<ArrayBuffer> {
  const advantages = new Float64Array(rows.length);
  for (const group of groupsOf(rows)) {
    const baseline = baselineOf(samplesOf(group, scores, samples));
    for (const [i] of group) advantages[i] = relativeTo(baseline, scores[i] ?? 0, scale);
  }
  return advantages;
}

/** Returns the scores that enter a group's mean and standard deviation: one per turn, or each episode's mean. */
export function samplesOf(group: readonly IndexedRow[], scores: Float64Array, samples: Samples): number[] {
  const scoresOf = (members: readonly IndexedRow[]): number[] => members.map(([i]) => scores[i] ?? 0);
  return samples === "turns" ? scoresOf(group) : episodesOf(group).map((episode) => meanOf(scoresOf(episode)));
}

/** Leave-one-out advantages (RLOO, arXiv:2402.14740): A = (s − μ_g)·n/(n − 1), s minus the others' mean. */
export function leaveOneOut(rows: readonly Row[], scores: Float64Array, samples: Samples): Float64Array<ArrayBuffer> {
  const advantages = new Float64Array(rows.length);
  for (const group of groupsOf(rows)) {
    const ofGroup = samplesOf(group, scores, samples);
    const [numSamples, mean] = [ofGroup.length, meanOf(ofGroup)];
    for (const [i] of group) {
      const score = scores[i] ?? 0;
      advantages[i] = numSamples > 1 ? ((score - mean) * numSamples) / (numSamples - 1) : score;
    }
  }
  return advantages;
}
