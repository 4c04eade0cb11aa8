import { clamp, div, exp, greater, maximum, mul, neg, stopGradient, sub, sum, where } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";

/** Bound in nats: log-ratios are clamped to ±20, so that a ratio is finite in single precision. */
export const maxLogRatio = 20;
/** Upper bound in nats of a length-normalised log-ratio (GSPO). */
export const maxSequenceLogRatio = 10;

/** Inputs of the policy loss, all (B, T). */
export type PolicyNodes = {
  /** log π of the response tokens, with gradient. */
  logProbs: Tensor;
  /**
   * Log-probabilities in the denominator of the ratio, constant: log π_old unless the method sets another, see
   * `anchorOf`.
   */
  oldLogProbs: Tensor;
  /** Advantages without gradient: (B, T) per token, or (B, 1) per row. */
  advantages: Tensor;
  /** 1 on response tokens, 0 elsewhere. Values of the other tensors have no effect where the mask is 0. */
  mask: Tensor;
  /** Per-token input of some clipping kinds, such as z-scored entropy, without gradient (`tokenSignal`). */
  signal: Tensor;
};

/** Bounds the loss from above by −A·c where A < 0. */
export function dualClip(loss: Tensor, advantages: Tensor, dual: number | null): Tensor {
  if (dual === null) return loss;
  const bound = mul(advantages, -dual);
  return where(greater(0, advantages), where(greater(loss, bound), bound, loss), loss);
}

/**
 * max(−A·w, −A·clip(w)). The gradient is 0 where the clipped term is the larger one. A ratio exactly on a bound has its
 * full gradient.
 */
export function hardClip(ratio: Tensor, advantages: Tensor, { low, high }: { low: number; high: number }): Tensor {
  const unclipped = neg(mul(advantages, ratio));
  const clipped = stopGradient(neg(mul(advantages, clamp(ratio, 1 - low, 1 + high))));
  return where(greater(clipped, unclipped), clipped, unclipped);
}

/** w = π/π_old of every token: (B, T); 1 outside the response. */
export function tokenRatio({
  logProbs,
  oldLogProbs,
  mask,
}: Pick<PolicyNodes, "logProbs" | "oldLogProbs" | "mask">): Tensor {
  return exp(clamp(onResponse(mask, sub(logProbs, oldLogProbs)), -maxLogRatio, maxLogRatio));
}

/** x on response tokens and 0 elsewhere, for the value and for the gradient. */
export function onResponse(mask: Tensor, x: Tensor): Tensor {
  return where(greater(mask, 0), x, 0);
}

/** Ā, the mean advantage of each row: (B, T) → (B, 1). */
export function rowAdvantages({ advantages, mask }: PolicyNodes): Tensor {
  return rowMean(mul(advantages, mask), mask);
}

/** Mean over each row's response tokens: (B, T) → (B, 1); 0 for a row without a response. x must be 0 elsewhere. */
export function rowMean(x: Tensor, mask: Tensor): Tensor {
  const total = sum(x, -1, { keepDims: true });
  return div(total, maximum(sum(mask, -1, { keepDims: true }), 1));
}
