import { add, clamp, exp, greater, maximum, mul, neg, square, stopGradient, sub, where } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { UpdateSpec } from "#trainer/spec/run.ts";
import { boundLogRatio, maxLogRatio, onResponse, tokenRatio } from "./logRatio.ts";

const maxK3 = 10;

/** k1 of KL(π ‖ π_ref) in nats: log π − log π_ref; unbiased, can be negative (joschu.net/blog/kl-approx.html). */
export function k1(logProb: number, referenceLogProb: number): number {
  return logProb - referenceLogProb;
}

/** Estimator k2 of KL(π ‖ π_ref): (log π − log π_ref)²/2; biased, never negative. */
export function k2(logProb: number, referenceLogProb: number): number {
  return (logProb - referenceLogProb) ** 2 / 2;
}

/** k3 of KL(π ‖ π_ref): e^z − z − 1, z = log π_ref − log π clamped to ±20, k3 to ±10; else unbiased. */
export function k3(logProb: number, referenceLogProb: number): number {
  const z = boundLogRatio(referenceLogProb - logProb);
  return Math.max(-maxK3, Math.min(maxK3, expMinusTangent(z)));
}

/** Computes e^z − z − 1 without cancellation for small z. */
export function expMinusTangent(z: number): number {
  return Math.expm1(z) - z;
}

export type KlEstimator = UpdateSpec["klEstimator"];

/** KL estimate of a token sampled from π. `X+` has the value of X; `k3w` that of k3, without the weight. */
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
 * Loss term for the KL to the reference policy: (B, T) estimates per token, 0 outside the response. `X+` has the
 * value of X and the gradient of k2, which is log π − log π_ref. `k3w` is k3 times w = π/π_old (DeepSeek-V3.2,
 * arXiv:2512.02556), with a gradient through both factors. Its gradient is w times that of k2, which is unbiased if
 * the tokens were sampled by π_old.
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

/** Straight-through estimator: a node with the value of `value` and the gradient of k2 = distance²/2. */
function straightThrough(value: Tensor, distance: Tensor): Tensor {
  const k2 = halfSquare(distance);
  return add(stopGradient(value), sub(k2, stopGradient(k2)));
}

type ReferenceNodes = { logProbs: Tensor; referenceLogProbs: Tensor; mask: Tensor };
type KlNodes = ReferenceNodes & { oldLogProbs: Tensor };

/** (B, T) k3, 0 outside the response. Gradient 1 − e^z; 0 where z = log π_ref − log π or k3 is clamped. */
export function k3Loss({ logProbs, referenceLogProbs, mask }: ReferenceNodes): Tensor {
  const z = clamp(onResponse(mask, sub(referenceLogProbs, logProbs)), -maxLogRatio, maxLogRatio);
  return clamp(expMinusTangentNode(z), -maxK3, maxK3);
}

const smallZ = 0.25;

/**
 * Graph node of e^z − z − 1. In single precision the three terms cancel: at z = 3e-4 their sum is 0. For small z the
 * value is therefore computed from the Taylor series. The gradient is e^z − 1 everywhere.
 */
function expMinusTangentNode(z: Tensor): Tensor {
  const direct = sub(sub(exp(z), z), 1);
  // Factorials of the Taylor series z²/2! + z³/3! + … + z⁹/9!, which is evaluated from the last term.
  const factorials = [40_320, 5040, 720, 120, 24, 6, 2];
  const terms = factorials.reduce((rest, factorial) => mul(add(rest, 1 / factorial), z), mul(z, 1 / 362_880));
  const series = stopGradient(mul(terms, z));
  // `direct` minus itself has value 0 and supplies only the gradient.
  const known = add(series, sub(direct, stopGradient(direct)));
  return where(greater(smallZ ** 2, square(z)), known, direct);
}
