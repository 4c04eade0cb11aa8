import { add, clamp, exp, maximum, mul, neg, square, stopGradient, sub } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { UpdateSpec } from "#trainer/spec/run.ts";
import { maxLogRatio, onResponse, tokenRatio } from "./logRatio.ts";

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

export type KlEstimator = UpdateSpec["klEstimator"];

/** The estimate of one token by name, under the policy that drew it; `X+` has the value of X. */
export function klEstimate(estimator: KlEstimator, logProb: number, referenceLogProb: number): number {
  switch (estimator) {
    case "k1":
    case "k1+":
      return k1(logProb, referenceLogProb);
    case "abs":
    case "abs+":
      return Math.abs(k1(logProb, referenceLogProb));
    case "k2":
      return k2(logProb, referenceLogProb);
    case "k3":
    case "k3+":
    case "k3w":
      return k3(logProb, referenceLogProb);
  }
}

/**
 * The estimate of every token as a node, 0 off the response: (B, T). `X+` has the value of X and the gradient of k2,
 * that is log π − log π_ref. `k3w` is k3 times w = π/π_old (DeepSeek-V3.2, arXiv:2512.02556), with a gradient through both: w times that of k2,
 * which is unbiased where the tokens are those of π_old.
 */
export function klLoss(estimator: KlEstimator, nodes: KlNodes): Tensor {
  const distance = onResponse(nodes.mask, sub(nodes.logProbs, nodes.referenceLogProbs));
  switch (estimator) {
    case "k1":
      return distance;
    case "abs":
      return maximum(distance, neg(distance));
    case "k2":
      return halfSquare(distance);
    case "k3":
      return k3Loss(nodes);
    case "k1+":
      return straightThrough(distance, distance);
    case "abs+":
      return straightThrough(maximum(distance, neg(distance)), distance);
    case "k3+":
      return straightThrough(k3Loss(nodes), distance);
    case "k3w":
      return mul(tokenRatio(nodes), k3Loss(nodes));
  }
}

function halfSquare(x: Tensor): Tensor {
  return mul(square(x), 0.5);
}

/** The first in value, k2 in gradient. */
function straightThrough(value: Tensor, distance: Tensor): Tensor {
  const k2 = halfSquare(distance);
  return add(stopGradient(value), sub(k2, stopGradient(k2)));
}

type ReferenceNodes = { logProbs: Tensor; referenceLogProbs: Tensor; mask: Tensor };
type KlNodes = ReferenceNodes & { oldLogProbs: Tensor };

/** k3 of every token as a node, 0 off the response: (B, T). Its gradient is 1 − e^z inside the bounds. */
export function k3Loss({ logProbs, referenceLogProbs, mask }: ReferenceNodes): Tensor {
  const z = clamp(onResponse(mask, sub(referenceLogProbs, logProbs)), -maxLogRatio, maxLogRatio);
  return clamp(sub(sub(exp(z), z), 1), -maxK3, maxK3);
}
