import type { Aggregation } from "#trainer/spec/dimensions.ts";

/** Shape (B, T) of a row-major matrix: batch rows × tokens. */
export type TokenShape = readonly [numRows: number, numTokens: number];

export type AggregationOptions = {
  aggregation: Aggregation;
  /** Divisor T_max of `seqMeanTokenSumNorm`: the maximum response length in tokens. */
  normaliserTokens: number;
  /** Response tokens in the whole minibatch, if the mask covers a part; by default, the mask's sum. */
  numTokens?: number;
  /** Minibatch rows with a response, if the mask covers a part; by default, counted from the mask. */
  numRows?: number;
};

/**
 * Aggregation weights W of the loss L = Σ_it W_it ℓ_it over rows i and tokens t (ARLArena arXiv:2602.21534 Eq. 4–5,
 * S2–S5). m is the mask, n_i the number of response tokens in row i, and B the number of rows with a response.
 * Denominators are those of the whole minibatch, and an empty mask gives weights 0.
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
  options: AggregationOptions,
): Float32Array<ArrayBuffer> {
  const lengths = rowLengths(mask, [numRows, width]);
  const totals = {
    aggregation: options.aggregation,
    numTokens: options.numTokens ?? lengths.reduce((total, n) => total + n, 0),
    numRows: options.numRows ?? lengths.filter((n) => n > 0).length,
    normaliserTokens: options.normaliserTokens,
  };
  const weights = new Float32Array(numRows * width);
  for (const [i, length] of lengths.entries()) {
    if (length === 0) continue;
    const weight = tokenWeight(length, totals);
    for (let at = i * width; at < (i + 1) * width; at++) weights[at] = (mask[at] ?? 0) * weight;
  }
  return weights;
}

/**
 * Aggregation weights (B, T) of a minibatch in the manner of older trainers: computed in chunks of `partRows`
 * consecutive rows and divided by the number of chunks. The result depends on the order of rows. With `partRows`
 * null, the minibatch is one chunk.
 */
export function weightsByParts(
  mask: Float32Array | Uint8Array,
  [numRows, width]: TokenShape,
  { partRows, ...options }: { aggregation: Aggregation; partRows: number | null; normaliserTokens: number },
): Float32Array<ArrayBuffer> {
  const size = partRows ?? Math.max(numRows, 1);
  const numParts = Math.ceil(numRows / size);
  const weights = new Float32Array(numRows * width);
  for (let row = 0; row < numRows; row += size) {
    const rows = Math.min(size, numRows - row);
    const part = mask.subarray(row * width, (row + rows) * width);
    const ofPart = aggregationWeights(part, [rows, width], options);
    weights.set(
      ofPart.map((x) => x / numParts),
      row * width,
    );
  }
  return weights;
}

function tokenWeight(length: number, totals: Required<AggregationOptions>): number {
  switch (totals.aggregation) {
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

/** Number of response tokens in each row: (B, T) → (B,). */
function rowLengths(mask: ArrayLike<number>, [numRows, width]: TokenShape): Float64Array<ArrayBuffer> {
  const lengths = new Float64Array(numRows);
  for (let i = 0; i < numRows; i++) {
    let length = 0;
    for (let at = i * width; at < (i + 1) * width; at++) length += mask[at] ?? 0;
    lengths[i] = length;
  }
  return lengths;
}
