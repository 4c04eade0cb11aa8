/** Dependence of a policy's responses on its prompts, over some responses and the prompts of the batch. */
export type Templates = {
  /** I(X; Z) in nats: mean of log p(z|x) − log p(z). Maximum log N; small negative values are noise. */
  mutualInformation: number;
  /** H(Z|X) and H(Z) in nats. */
  conditionalEntropy: number;
  marginalEntropy: number;
  /** Fraction of responses that are most likely under their own prompt. 1/N by chance. */
  retrievalAccuracy: number;
  /** Mean of (log p(z|x) − log p(z)) over the standard deviation of log p(z). */
  zScore: number;
};

/** Keeps the z-score finite where all responses have equal likelihood (RAGEN). */
const epsilon = 1e-3;

/**
 * RAGEN-2's measure of template collapse (arXiv:2604.06268): a policy that answers every prompt with the same fluent
 * text keeps its entropy but loses its mutual information.
 * @param crossLogProbs (R, N) of each response under every prompt, in nats: of the whole response, or its mean per
 * token
 * @param own (R,) index of the prompt that each response answered
 */
export function measureTemplates(crossLogProbs: readonly Float64Array[], own: readonly number[]): Templates {
  const matched = crossLogProbs.map((row, i) => row[own[i] ?? 0] ?? NaN);
  const marginal = crossLogProbs.map((row) => logSumExp(row) - Math.log(row.length));
  const gains = matched.map((x, i) => x - (marginal[i] ?? NaN));
  const middle = mean(marginal);
  const spread = Math.sqrt(mean(marginal.map((x) => (x - middle) ** 2)));
  const mutualInformation = mean(gains);
  return {
    mutualInformation,
    conditionalEntropy: -mean(matched),
    marginalEntropy: -middle,
    retrievalAccuracy: mean(crossLogProbs.map((row, i) => (isLargest(row, own[i] ?? 0) ? 1 : 0))),
    zScore: mutualInformation / (spread + epsilon),
  };
}

/** True for a maximum, ties included: similar prompts have similar scores. */
function isLargest(row: Float64Array, at: number): boolean {
  const value = row[at] ?? NaN;
  return row.every((x) => x <= value);
}

function logSumExp(values: Float64Array): number {
  const largest = values.reduce((most, x) => Math.max(most, x), -Infinity);
  return largest + Math.log(values.reduce((sum, x) => sum + Math.exp(x - largest), 0));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}
