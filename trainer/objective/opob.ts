import type { Advantage } from "#trainer/spec/dimensions.ts";
import { meanOf } from "./baseline.ts";
import { boundLogRatio } from "./logRatio.ts";
import { partition, type IndexedRow, type Row } from "./row.ts";

/**
 * OPOB, the off-policy optimal baseline of VCPO (arXiv:2602.17616): A = s − b with b = Σ w²‖∇log π‖²·s / Σ w²‖∇log π‖²
 * over the group's rows, where w = π_old/μ of a whole row. This baseline minimises the variance of an
 * importance-weighted policy gradient. If scaled, A is divided by the population standard deviation of the group's
 * scores, unless that is at most 1e-8.
 * @param sequences the turns of each training row; all turns of a row share score, gradient and ratio
 * @param scores (B,)
 * @returns (B,); 0 in a group of one row; if all gradients of a group are 0, b is the plain mean
 * @throws Error for a row without its gradient's norm or without its ratio
 */
export function offPolicyBaseline(
  sequences: readonly IndexedRow[][],
  scores: Float64Array,
  { scale }: Pick<Extract<Advantage, { kind: "opob" }>, "scale">,
): Float64Array {
  const advantages = new Float64Array(scores.length);
  const leaders = sequences.flatMap(([first]) => (first ? [first] : []));
  for (const group of partition(leaders, (row) => row.group)) {
    const weights = group.map(([i, row]) => varianceOf(i, row));
    const ofGroup = group.map(([i]) => scores[i] ?? 0);
    const [mean, total] = [meanOf(ofGroup), weights.reduce((sum, x) => sum + x, 0)];
    // Scores are centred on their mean, so that a group of equal scores has advantage 0 and not a rounding error.
    const weighed = weights.reduce((sum, x, k) => sum + x * ((ofGroup[k] ?? 0) - mean), 0);
    const baseline = mean + (total > 0 ? weighed / total : 0);
    const spread = scale === "groupStd" ? populationStd(ofGroup) : 0;
    for (const [i] of group) advantages[i] = ((scores[i] ?? 0) - baseline) / (spread > 1e-8 ? spread : 1);
  }
  for (const [first, ...others] of sequences) {
    for (const [i] of others) advantages[i] = advantages[first?.[0] ?? i] ?? 0;
  }
  return advantages;
}

/** Ratio π_old/μ of a row's whole response: product of its tokens' ratios, with the log clamped to ±20. */
export function rowRatio(oldLogProbs: ArrayLike<number>, samplerLogProbs: ArrayLike<number>): number {
  const x = Array.from(oldLogProbs).reduce((sum, old, t) => sum + old - (samplerLogProbs[t] ?? 0), 0);
  return Math.exp(boundLogRatio(x));
}

/** Weight w²‖∇log π‖² of a row's score in OPOB's baseline, with w = π_old/μ. */
function varianceOf(i: number, { gradientNorm, samplerRatio }: Row): number {
  if (gradientNorm === undefined || samplerRatio === undefined) {
    const lacking = gradientNorm === undefined ? "a gradient's norm" : "a ratio to the sampler";
    throw new Error(`advantages of kind opob need ${lacking}: row ${i} has none`);
  }
  return (samplerRatio * gradientNorm) ** 2;
}

function populationStd(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((x) => (x - mean) ** 2)));
}
