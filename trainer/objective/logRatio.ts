import { clamp, div, exp, greater, maximum, mul, neg, stopGradient, sub, sum, where } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";

/** Bound in nats to which log-ratios log π/π_old are clamped (±20), so that a ratio is finite in single precision. */
export const maxLogRatio = 20;

/** Clamps a log-ratio to ±20 nats, like `tokenRatio`. */
export function boundLogRatio(x: number): number {
  return Math.max(-maxLogRatio, Math.min(maxLogRatio, x));
}

/** Upper bound in nats of the length-normalised log-ratio of a whole response (GSPO). */
export const maxSequenceLogRatio = 10;

/** Graph inputs of the policy loss, all (B, T) unless stated otherwise. */
export type PolicyNodes = {
  /** Log-probabilities of the sampled tokens under the current policy π, with gradient. */
  logProbs: Tensor;
  /** Constant log-probabilities in the ratio's denominator: log π_old, the sampler's or a proximal policy's. */
  oldLogProbs: Tensor;
  /** Advantages without gradient: (B, T) per token, or (B, 1) per row. */
  advantages: Tensor;
  /** 1 on response tokens, 0 elsewhere. Values of the other tensors have no effect where the mask is 0. */
  mask: Tensor;
  /** Per-token input of some clipping kinds, without gradient, computed by `tokenSignal`. */
  signal: Tensor;
};

/** Dual clip: bounds the loss from above by −A·dual where the advantage A is negative; null switches it off. */
export function dualClip(loss: Tensor, advantages: Tensor, dual: number | null): Tensor {
  if (dual === null) return loss;
  const bound = mul(advantages, -dual);
  return where(greater(0, advantages), where(greater(loss, bound), bound, loss), loss);
}

/** PPO's max(−A·w, −A·clip(w, 1 − low, 1 + high)): gradient 0 if the clipped term is larger, full on a bound. */
export function hardClip(ratio: Tensor, advantages: Tensor, { low, high }: { low: number; high: number }): Tensor {
  const unclipped = neg(mul(advantages, ratio));
  const clipped = stopGradient(neg(mul(advantages, clamp(ratio, 1 - low, 1 + high))));
  return where(greater(clipped, unclipped), clipped, unclipped);
}

/** (B, T) ratio w = π/π_old of every token; 1 outside the response. */
export function tokenRatio({
  logProbs,
  oldLogProbs,
  mask,
}: Pick<PolicyNodes, "logProbs" | "oldLogProbs" | "mask">): Tensor {
  return exp(clamp(onResponse(mask, sub(logProbs, oldLogProbs)), -maxLogRatio, maxLogRatio));
}

/** Returns x on response tokens and 0 elsewhere, for the value and for the gradient. */
export function onResponse(mask: Tensor, x: Tensor): Tensor {
  return where(greater(mask, 0), x, 0);
}

/** (B, 1) mean advantage Ā of each row over its response tokens. */
export function rowAdvantages({ advantages, mask }: PolicyNodes): Tensor {
  return rowMean(mul(advantages, mask), mask);
}

/** (B, 1) mean of x (B, T), which is 0 outside the response, over its tokens; 0 for a row without one. */
export function rowMean(x: Tensor, mask: Tensor): Tensor {
  const total = sum(x, -1, { keepDims: true });
  return div(total, maximum(sum(mask, -1, { keepDims: true }), 1));
}
