import type { Method } from "#trainer/spec/method.ts";
import { add, greater, input, maximum, minimum, mul, scalar, square, sub, sum, toFloat } from "#trainer/graph/ops.ts";
import type { Shape, Tensor } from "#trainer/graph/tensor.ts";
import type { UpdateSpec } from "#trainer/spec/run.ts";
import { policyLoss } from "./clipping.ts";
import { klLoss } from "./kl.ts";
import { onResponse, type PolicyNodes } from "./logRatio.ts";

export type LossCoefs = Pick<UpdateSpec, "klCoef" | "entropyCoef"> &
  Partial<Pick<UpdateSpec, "klEstimator" | "klPlacement">>;

/** Graph inputs of the loss of one minibatch, all (B, T). */
export type LossNodes = PolicyNodes & {
  /** Entropy of π at every response token in nats, with gradient. Unused if the entropy coefficient is 0. */
  entropy: Tensor;
  /** Constant log-probabilities log π_ref under the reference policy. Unused if the KL coefficient is 0. */
  referenceLogProbs: Tensor;
  /** Aggregation weights of the policy loss, times importance weights; 0 on tokens that a mask or rejection dropped. */
  policyWeights: Tensor;
  /** Aggregation weights of the KL and entropy terms, which include all rows. */
  penaltyWeights: Tensor;
};

export function lossNodes(shape: Shape): LossNodes {
  const node = (name: keyof LossNodes): Tensor => input(name, shape);
  return {
    logProbs: node("logProbs"),
    oldLogProbs: node("oldLogProbs"),
    referenceLogProbs: node("referenceLogProbs"),
    entropy: node("entropy"),
    advantages: node("advantages"),
    mask: node("mask"),
    policyWeights: node("policyWeights"),
    penaltyWeights: node("penaltyWeights"),
    signal: node("signal"),
  };
}

/** Scalars: `total` = `policy` + `kl` − `entropy`, where `kl` and `entropy` include their coefficients. */
export type Loss = { total: Tensor; policy: Tensor; kl: Tensor; entropy: Tensor };

/**
 * Builds the loss L = Σ W·ℓ + klCoef·Σ W′·kl − entropyCoef·Σ W′·H over tokens, with aggregation weights W and W′
 * (ARLArena arXiv:2602.21534 §2). A KL penalty in the reward is not part of this loss.
 */
export function buildLoss(method: Method, coefs: LossCoefs, nodes: LossNodes): Loss {
  const { entropyCoef, klEstimator = "k3", klPlacement = "loss" } = coefs;
  const klCoef = klPlacement === "loss" ? coefs.klCoef : 0;
  const policy = sum(mul(nodes.policyWeights, policyLoss(method.clipping, nodes)));
  const penalty = (coef: number, x: () => Tensor): Tensor =>
    coef === 0 ? scalar(0) : mul(sum(mul(nodes.penaltyWeights, x())), coef);
  const kl = penalty(klCoef, () => klLoss(klEstimator, nodes));
  const entropy = penalty(entropyCoef, () => onResponse(nodes.mask, nodes.entropy));
  const withKl = klCoef === 0 ? policy : add(policy, kl);
  return { total: entropyCoef === 0 ? withKl : sub(withKl, entropy), policy, kl, entropy };
}

/** Inputs of the critic's loss, all (B, T): `values` have a gradient, the other inputs are constant. */
type ValueNodes = {
  values: Tensor;
  /** The critic's values before the update. */
  oldValues: Tensor;
  returns: Tensor;
  /** Aggregation weights, 0 outside the response. */
  weights: Tensor;
};

/**
 * Clipped value loss (PPO as in verl): ½·Σ W·max((v − R)², (clip(v, v_old ± clip) − R)²) with value v and return R.
 * The clipping uses min and max, so that a value within the range equals its clipped value to the last bit.
 * @returns scalars: the loss, and the weighted fraction of tokens whose clipped term is the larger one
 */
export function valueLoss(clip: number, { values, oldValues, returns, weights }: ValueNodes) {
  const clipped = minimum(maximum(values, sub(oldValues, clip)), add(oldValues, clip));
  const [free, bounded] = [square(sub(values, returns)), square(sub(clipped, returns))];
  return {
    loss: mul(sum(mul(weights, maximum(free, bounded))), 0.5),
    clipFraction: sum(mul(weights, toFloat(greater(bounded, free)))),
  };
}
