import type { TokenShape } from "./aggregation.ts";

/**
 * Truncated importance weights that correct for a sampler whose numbers differ from the trainer's (TIS):
 * min(π_old/π_sampler, cap).
 * @param oldLogProbs of one row's response
 * @param samplerLogProbs of the same tokens
 */
export function truncatedImportance(
  oldLogProbs: ArrayLike<number>,
  samplerLogProbs: ArrayLike<number>,
  cap: number,
): Float64Array<ArrayBuffer> {
  return Float64Array.from({ length: oldLogProbs.length }, (_, t) =>
    Math.min(Math.exp((oldLogProbs[t] ?? 0) - (samplerLogProbs[t] ?? 0)), cap),
  );
}

/**
 * One weight for every token of a row: the geometric mean of its tokens' weights. A loss that is one number per row (GMPO) has
 * one weight per row, too (verl `geo_mean`).
 * @param weights (B, T)
 * @param mask (B, T), 1 on response tokens
 * @returns (B, T)
 */
export function geometricMeans(
  weights: ArrayLike<number>,
  mask: ArrayLike<number>,
  [numRows, width]: TokenShape,
): Float64Array<ArrayBuffer> {
  const means = new Float64Array(numRows * width);
  for (let row = 0; row < numRows; row++) {
    const indices = Array.from({ length: width }, (_, t) => row * width + t).filter((at) => mask[at]);
    const sum = indices.reduce((total, at) => total + Math.log(weights[at] ?? 1), 0);
    for (const at of indices) means[at] = Math.exp(sum / indices.length);
  }
  return means;
}
