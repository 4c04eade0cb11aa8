import { meanOf, type Scale } from "./baseline.ts";
import { discountedReturns } from "./gigpo.ts";
import { episodesOf, groupsOf, type Row } from "./row.ts";

type Hgpo = {
  scale: Scale;
  gamma: number;
  /** K, the maximum number of earlier states that a compared context includes besides the current state. */
  history: number;
  /** Exponent α of the weight (k + 1)^α of the comparison among turns with the same last k states. */
  alpha: number;
  invalidActionPenalty: number;
  /** (B,) episode-level advantages, averaged in with weight 1; if absent, only contexts count. */
  episodeAdvantages?: Float64Array;
};

const epsilon = 1e-6;

/**
 * Hierarchy-of-groups advantages (HGPO, arXiv:2602.22817). For k = 1 … K + 1, a turn's discounted step return R is
 * compared with those of the group's turns with the same last k states, as far as its past allows. Each comparison
 * gives a = (R − mean)/(std + 1e-6), with population std, or R − mean. A = Σ Lᵅ·a / (Σ Lᵅ + 1e-6) with L = k + 1, over
 * the comparisons with a ≠ 0.
 * @returns (B,); 0 for a turn whose comparisons are all 0 or absent
 */
export function hgpo(rows: readonly Row[], options: Hgpo): Float64Array<ArrayBuffer> {
  const { gamma, invalidActionPenalty } = options;
  const returns = discountedReturns(rows, gamma).map((x, i) => (rows[i]?.isValid ? x : x - invalidActionPenalty));
  return compareContexts(rows, returns, options);
}

/** Computes the HGPO advantages from given discounted returns of the turns. @testing */
export function compareContexts(
  rows: readonly Row[],
  returns: Float64Array,
  { history, alpha, scale, episodeAdvantages }: Omit<Hgpo, "gamma" | "invalidActionPenalty">,
): Float64Array<ArrayBuffer> {
  const [sums, weights] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  for (const group of groupsOf(rows)) {
    const clusters = new Map<string, { k: number; members: number[] }>();
    for (const episode of episodesOf(group)) {
      const anchors = episode.map(([, row]) => row.anchor);
      for (const [turn, [i]] of episode.entries()) {
        for (let k = 1; k <= Math.min(history, turn) + 1; k++) {
          const key = JSON.stringify(anchors.slice(turn + 1 - k, turn + 1));
          const { members } = clusters.get(key) ?? { members: [] };
          clusters.set(key, { k, members: [...members, i] });
        }
      }
    }
    for (const { k, members } of clusters.values()) {
      const weight = (k + 1) ** alpha;
      const ofCluster = members.map((i) => returns[i] ?? 0);
      const mean = meanOf(ofCluster);
      const std = Math.sqrt(meanOf(ofCluster.map((x) => (x - mean) ** 2)));
      for (const i of members.length < 2 ? [] : members) {
        const a = ((returns[i] ?? 0) - mean) / (scale === "groupStd" ? std + epsilon : 1);
        if (a === 0) continue;
        sums[i] = (sums[i] ?? 0) + weight * a;
        weights[i] = (weights[i] ?? 0) + weight;
      }
    }
  }
  for (const [i, a] of episodeAdvantages?.entries() ?? []) {
    if (a === 0) continue;
    sums[i] = (sums[i] ?? 0) + a;
    weights[i] = (weights[i] ?? 0) + 1;
  }
  return sums.map((sum, i) => sum / ((weights[i] ?? 0) + epsilon));
}
