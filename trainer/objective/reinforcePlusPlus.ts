import type { Advantage } from "#trainer/spec/dimensions.ts";
import { baselineOf } from "./baseline.ts";
import { groupsOf, type Row } from "./row.ts";

type ReinforcePlusPlus = Pick<Extract<Advantage, { kind: "reinforcePlusPlus" }>, "baseline">;

/**
 * Returns whitened over the whole batch (REINFORCE++, arXiv:2501.03262), optionally after the group mean is taken off.
 * With γ = 1 and the reward on a row's last token, all tokens of a row have the same return.
 * @param scores (B,)
 * @returns (B,)
 */
export function reinforcePlusPlus(
  rows: readonly Row[],
  scores: Float64Array,
  { baseline }: ReinforcePlusPlus,
): Float64Array<ArrayBuffer> {
  const numTokens = rows.map((row) => row.numTokens);
  return whiten(baseline === "group" ? withoutGroupMean(rows, scores) : scores, numTokens);
}

function withoutGroupMean(rows: readonly Row[], scores: Float64Array): Float64Array {
  const centred = new Float64Array(rows.length);
  for (const group of groupsOf(rows)) {
    const { mean } = baselineOf(group.map(([i]) => scores[i] ?? 0));
    for (const [i] of group) centred[i] = (scores[i] ?? 0) - mean;
  }
  return centred;
}

/** (x − μ)/√(σ² + 1e-8) over tokens: row i counts `numTokens[i]` times, σ² is Bessel-corrected. */
function whiten(values: Float64Array, numTokens: readonly number[]): Float64Array<ArrayBuffer> {
  const weighted = (term: (x: number) => number): number =>
    values.reduce((total, x, i) => total + (numTokens[i] ?? 0) * term(x), 0);
  const total = weighted(() => 1);
  if (total === 0) return new Float64Array(values.length);
  const mean = weighted((x) => x) / total;
  // One token alone has no spread to divide by; its deviation is 0 whatever the divisor.
  const variance = weighted((x) => (x - mean) ** 2) / Math.max(total - 1, 1);
  return Float64Array.from(values, (x) => (x - mean) / Math.sqrt(variance + 1e-8));
}
