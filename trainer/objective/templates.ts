import { meanOf } from "#trainer/spec/averages.ts";

/** How strongly responses Z depend on prompts X, over R sampled responses and N prompts. */
export type Templates = {
  /** I(X; Z) in nats: mean of log p(z|x) − log p(z), at most log N for N prompts; small negative values are noise. */
  mutualInformation: number;
  /** Entropy H(Z|X) of responses given their prompt, in nats; `marginalEntropy` is H(Z), over all prompts. */
  conditionalEntropy: number;
  marginalEntropy: number;
  /** Fraction of responses that no other prompt makes more likely than their own; 1/N by chance for N prompts. */
  retrievalAccuracy: number;
  /** Mutual information divided by the standard deviation of log p(z) over responses. */
  zScore: number;
};

/** Constant added to the standard deviation: finite z-score if all responses are equally likely (RAGEN). */
const epsilon = 1e-3;

/**
 * Measures template collapse as in RAGEN-2 (arXiv:2604.06268): a policy that answers every prompt with the same
 * fluent text has high entropy but low mutual information.
 * @param crossLogProbs (R, N) log-probability of each response under every prompt in nats: summed or averaged over
 * tokens
 * @param own (R,) index of the prompt that each response answered
 */
export function measureTemplates(crossLogProbs: readonly Float64Array[], own: readonly number[]): Templates {
  const matched = crossLogProbs.map((row, i) => row[own[i] ?? 0] ?? NaN);
  const marginal = crossLogProbs.map((row) => logSumExp(row) - Math.log(row.length));
  const gains = matched.map((x, i) => x - (marginal[i] ?? NaN));
  const middle = meanOf(marginal);
  const spread = Math.sqrt(meanOf(marginal.map((x) => (x - middle) ** 2)));
  const mutualInformation = meanOf(gains);
  return {
    mutualInformation,
    conditionalEntropy: -meanOf(matched),
    marginalEntropy: -middle,
    retrievalAccuracy: meanOf(crossLogProbs.map((row, i) => (isLargest(row, own[i] ?? 0) ? 1 : 0))),
    zScore: mutualInformation / (spread + epsilon),
  };
}

/** True if the value is its row's largest. Ties count, because similar prompts have similar scores. */
function isLargest(row: Float64Array, at: number): boolean {
  const value = row[at] ?? NaN;
  return row.every((x) => x <= value);
}

function logSumExp(values: Float64Array): number {
  const largest = values.reduce((most, x) => Math.max(most, x), -Infinity);
  return largest + Math.log(values.reduce((sum, x) => sum + Math.exp(x - largest), 0));
}
