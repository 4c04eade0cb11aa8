import { baselineOf, relativeTo, type Scale } from "./baseline.ts";
import { groupRelative, type Samples } from "./groupRelative.ts";
import { episodesOf, groupsOf, partition, type Row } from "./row.ts";
import { makeClustering } from "./similarity.ts";

type Gigpo = {
  scale: Scale;
  /** Unit of one sample in the statistics of A_E: a turn or an episode. In step groups, the sample is always a turn. */
  samples: Samples;
  stepWeight: number;
  gamma: number;
  /** Minimum similarity in [0, 1] of two state texts that count as the same state; null: only identical texts do. */
  similarity: number | null;
  invalidActionPenalty: number;
};

/**
 * Group-in-group advantages (GiGPO, arXiv:2505.10978): A = A_E + ω·A_S. A_E is group-relative over the episodes'
 * scores. A_S compares a turn's discounted return with those of its step group: the group's turns that started from
 * the same state. With `similarity`, a state joins the first step group whose first state it resembles, so the order
 * of rows can matter.
 * @param scores (B,) score of each turn
 * @returns (B,)
 */
export function gigpo(rows: readonly Row[], scores: Float64Array, options: Gigpo): Float64Array<ArrayBuffer> {
  const { scale, samples, stepWeight, gamma, similarity, invalidActionPenalty } = options;
  const advantages = groupRelative(rows, scores, { scale, samples });
  const returns = discountedReturns(rows, gamma).map((x, i) => (rows[i]?.isValid ? x : x - invalidActionPenalty));
  const stepGroups = groupsOf(rows).flatMap((group) => {
    const stateOf = similarity === null ? (anchor: string) => anchor : makeClustering(similarity);
    return partition(group, (row) => stateOf(row.anchor));
  });
  for (const members of stepGroups) {
    if (members.length < 2) continue; // A state that occurs once has nothing to be compared with, so A_S = 0.
    const baseline = baselineOf(members.map(([i]) => returns[i] ?? 0));
    for (const [i] of members) {
      const stepAdvantage = relativeTo(baseline, returns[i] ?? 0, scale);
      advantages[i] = (advantages[i] ?? 0) + stepWeight * stepAdvantage;
    }
  }
  return advantages;
}

/** R_k = Σ_{l ≥ k} γ^(l − k) r_l, from turn k to the end of its episode, for rows in any order. */
export function discountedReturns(rows: readonly Row[], gamma: number): Float64Array<ArrayBuffer> {
  const returns = new Float64Array(rows.length);
  for (const episode of groupsOf(rows).flatMap(episodesOf)) {
    let next = 0;
    for (const [i, row] of episode.toReversed()) {
      next = row.reward + gamma * next;
      returns[i] = next;
    }
  }
  return returns;
}
