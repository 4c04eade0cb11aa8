import type { Advantage } from "#trainer/spec/dimensions.ts";
import { baselineOf, meanOf, relativeTo } from "./baseline.ts";
import { episodeKey, groupKey, indicesBy, type Row } from "./row.ts";

type GroupAdvantage = Omit<Extract<Advantage, { kind: "group" }>, "kind">;

/**
 * Group-relative advantages (GRPO, arXiv:2402.03300 §4.1; without division Dr. GRPO, arXiv:2503.20783):
 * A = (s − μ_g) / (σ_g + 1e-6).
 * With `samples` "turns" every row of every episode of the group is one sample, so long episodes weigh more in μ and σ;
 * with "episodes" an episode is one sample, the mean of its rows' scores.
 * @param scores (B,)
 * @returns (B,); 0 in a group whose scores are all equal
 */
export function groupRelative(
  rows: readonly Row[],
  scores: Float64Array,
  { scale, samples }: GroupAdvantage,
): Float64Array<ArrayBuffer> {
  const advantages = new Float64Array(rows.length);
  const at = (i: number): number => scores[i] ?? 0;
  const episodes = indicesBy(rows, episodeKey);
  for (const members of indicesBy(rows, groupKey)) {
    const group = rows[members[0] ?? 0]?.group;
    const own = episodes.filter(([first]) => rows[first ?? 0]?.group === group);
    const baseline = baselineOf(samples === "turns" ? members.map(at) : own.map((indices) => meanOf(indices.map(at))));
    for (const i of members) advantages[i] = relativeTo(baseline, at(i), scale);
  }
  return advantages;
}

/**
 * Leave-one-out advantages (RLOO, arXiv:2402.14740): A = (s − μ_g)·n/(n − 1), which is s minus the mean of the others.
 * @param scores (B,)
 * @returns (B,); the score itself in a group of one row
 */
export function leaveOneOut(rows: readonly Row[], scores: Float64Array): Float64Array<ArrayBuffer> {
  const advantages = new Float64Array(rows.length);
  for (const members of indicesBy(rows, groupKey)) {
    const samples = members.map((i) => scores[i] ?? 0);
    const numSamples = samples.length;
    const mean = meanOf(samples);
    for (const i of members) {
      const score = scores[i] ?? 0;
      advantages[i] = numSamples > 1 ? ((score - mean) * numSamples) / (numSamples - 1) : score;
    }
  }
  return advantages;
}
