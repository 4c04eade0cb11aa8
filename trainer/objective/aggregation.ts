import type { Aggregation } from "#trainer/spec/dimensions.ts";

/** (B, T), row-major. */
export type TokenShape = readonly [numRows: number, numTokens: number];

export type AggregationOptions = {
  /** Tokens that `seqMeanTokenSumNorm` divides by: the longest response allowed (paper: T_max). */
  normaliserTokens: number;
  /** Response tokens of the mini-batch; counted in the mask unless the mask is only a part of the mini-batch. */
  numTokens?: number;
  /** Rows of the mini-batch with a response; counted in the mask unless the mask is only a part of the mini-batch. */
  numRows?: number;
};

/**
 * The weights W of L = Σ_it W_it ℓ_it (ARLArena arXiv:2602.21534 Eq. 4–5, S2–S5). Rows without a response count
 * nowhere, denominators are those of the whole mini-batch, and an empty mask gives weights 0.
 *
 * tokenMean            m_it / (Σm + 1e-8)
 * seqMeanTokenMean     m_it / (n_i · B)
 * seqMeanTokenSum      m_it / B
 * seqMeanTokenSumNorm  m_it / (B · T_max)
 * tokenSum             m_it
 *
 * @param mask (B, T), 1 on response tokens
 * @returns (B, T)
 */
export function aggregationWeights(
  mask: ArrayLike<number>,
  [numRows, width]: TokenShape,
  aggregation: Aggregation,
  options: AggregationOptions,
): Float32Array<ArrayBuffer> {
  const lengths = rowLengths(mask, [numRows, width]);
  const totals = {
    numTokens: options.numTokens ?? lengths.reduce((total, n) => total + n, 0),
    numRows: options.numRows ?? lengths.filter((n) => n > 0).length,
    normaliserTokens: options.normaliserTokens,
  };
  const weights = new Float32Array(numRows * width);
  for (const [i, length] of lengths.entries()) {
    if (length === 0) continue;
    const weight = tokenWeight(aggregation, length, totals);
    for (let at = i * width; at < (i + 1) * width; at++) weights[at] = (mask[at] ?? 0) * weight;
  }
  return weights;
}

function tokenWeight(aggregation: Aggregation, length: number, totals: Required<AggregationOptions>): number {
  switch (aggregation) {
    case "tokenMean":
      return 1 / (totals.numTokens + 1e-8);
    case "seqMeanTokenMean":
      return 1 / (length * totals.numRows);
    case "seqMeanTokenSum":
      return 1 / totals.numRows;
    case "seqMeanTokenSumNorm":
      return 1 / (totals.numRows * totals.normaliserTokens);
    case "tokenSum":
      return 1;
  }
}

/** Response tokens of each row: (B, T) → (B,). */
function rowLengths(mask: ArrayLike<number>, [numRows, width]: TokenShape): Float64Array<ArrayBuffer> {
  const lengths = new Float64Array(numRows);
  for (let i = 0; i < numRows; i++) {
    let length = 0;
    for (let at = i * width; at < (i + 1) * width; at++) length += mask[at] ?? 0;
    lengths[i] = length;
  }
  return lengths;
}
