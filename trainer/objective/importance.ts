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
