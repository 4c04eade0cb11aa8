import type { Method } from "#trainer/spec/method.ts";
import { add, mul, scalar, sub, sum } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { UpdateSpec } from "#trainer/spec/run.ts";
import { policyLoss } from "./clipping.ts";
import { klLoss } from "./kl.ts";
import { onResponse, type PolicyNodes } from "./logRatio.ts";

export type LossCoefs = Pick<UpdateSpec, "klCoef" | "entropyCoef"> &
  Partial<Pick<UpdateSpec, "klEstimator" | "klPlacement">>;

/** Inputs of the loss for one minibatch, all (B, T). */
export type LossNodes = PolicyNodes & {
  /** Entropy of π at every response token in nats, with gradient. Unused when its coefficient is 0. */
  entropy: Tensor;
  /** log π_ref, constant. Unused when the KL coefficient is 0. */
  referenceLogProbs: Tensor;
  /** Aggregation weights of the rows that sequence masking kept. */
  policyWeights: Tensor;
  /** Aggregation weights of all rows, for KL and entropy. */
  penaltyWeights: Tensor;
};

/** Scalars. `total` = `policy` + `kl` − `entropy`. The latter two include their coefficients. */
export type Loss = { total: Tensor; policy: Tensor; kl: Tensor; entropy: Tensor };

/**
 * L = Σ W·ℓ + klCoef·Σ W′·kl − entropyCoef·Σ W′·H (ARLArena arXiv:2602.21534 §2). A KL in the reward is not part of the
 * loss.
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
