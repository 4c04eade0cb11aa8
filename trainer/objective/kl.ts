import { clamp, exp, sub } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { maxLogRatio, onResponse } from "./clipping.ts";

const maxK3 = 10;

/**
 * Estimators of KL(π ‖ π_ref) from one token sampled from π, in nats (joschu.net/blog/kl-approx.html).
 * k1 = log π − log π_ref: unbiased, can be negative.
 */
export function k1(logProb: number, referenceLogProb: number): number {
  return logProb - referenceLogProb;
}

/** k2 = k1²/2: biased, never negative. */
export function k2(logProb: number, referenceLogProb: number): number {
  return (logProb - referenceLogProb) ** 2 / 2;
}

/** k3 = e^z − z − 1 with z = log π_ref − log π held within ±20, itself held within ±10: unbiased but for the bounds. */
export function k3(logProb: number, referenceLogProb: number): number {
  const z = Math.max(-maxLogRatio, Math.min(maxLogRatio, referenceLogProb - logProb));
  return Math.max(-maxK3, Math.min(maxK3, Math.exp(z) - z - 1));
}

type KlNodes = { logProbs: Tensor; referenceLogProbs: Tensor; mask: Tensor };

/** k3 of every token as a node, 0 off the response: (B, T). Its gradient is 1 − e^z inside the bounds. */
export function k3Loss({ logProbs, referenceLogProbs, mask }: KlNodes): Tensor {
  const z = clamp(onResponse(mask, sub(referenceLogProbs, logProbs)), -maxLogRatio, maxLogRatio);
  return clamp(sub(sub(exp(z), z), 1), -maxK3, maxK3);
}
