import type { Clipping } from "#trainer/spec/dimensions.ts";
import {
  add,
  clamp,
  div,
  exp,
  greater,
  maximum,
  minimum,
  mul,
  neg,
  sigmoid,
  stopGradient,
  sub,
  where,
} from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { clippingTraits, type ClippingTraits } from "#trainer/spec/traits.ts";
import {
  dualClip,
  hardClip,
  maxLogRatio,
  maxSequenceLogRatio,
  onResponse,
  type PolicyNodes,
  rowAdvantages,
  rowMean,
  tokenRatio,
} from "./logRatio.ts";
import {
  asymmetricRatio,
  divergenceMask,
  preservedGradient,
  quadraticLogPenalty,
  quadraticPenalty,
  ratioLoss,
  scoreLoss,
  turnClip,
  variationalWeight,
} from "./offPolicyClipping.ts";

type Of<K extends Clipping["kind"]> = Extract<Clipping, { kind: K }>;

/** (B, T) policy loss ℓ of every token, to be minimised; aggregation later weights and sums these losses. */
export function policyLoss(clipping: Clipping, nodes: PolicyNodes): Tensor {
  switch (clipping.kind) {
    case "token":
      return tokenClip(clipping, nodes);
    case "sequence":
      return sequenceClip(clipping, nodes);
    case "sapo":
      return softGate(clipping, nodes);
    case "cispo":
      return clippedWeight(clipping, nodes);
    case "aepo":
      return entropyAwareClip(clipping, nodes);
    case "geometricMean":
      return geometricMean(clipping, nodes);
    case "clipCov":
      return mul(hardClip(tokenRatio(nodes), nodes.advantages, clipping), nodes.signal);
    case "klCov":
      return covariancePenalty(clipping, nodes);
    case "divergence":
      return divergenceMask(clipping, nodes);
    case "quadratic":
      return quadraticPenalty(clipping, nodes);
    case "quadraticLog":
      return quadraticLogPenalty(clipping, nodes);
    case "vespo":
      return variationalWeight(clipping, nodes);
    case "aspo":
      return asymmetricRatio(clipping, nodes);
    case "gradientPreserving":
      return preservedGradient(clipping, nodes);
    case "turn":
      return turnClip(clipping, nodes);
    case "score":
      return scoreLoss(nodes);
    case "ratio":
      return ratioLoss(nodes);
  }
}

/**
 * Hard clip with dual clip (PPO arXiv:1707.06347 Eq. 7; dual clip arXiv:1912.09729; clip-higher arXiv:2503.14476): ℓ
 * = max(−A·w, −A·clip(w, 1 − low, 1 + high)) with w = π/π_old. Where A < 0, ℓ is at most −A·dual. With `twoSided` δ,
 * the unclipped ratio w is at most δ for any advantage (TRL `delta`, INTELLECT-2 arXiv:2505.07291).
 */
function tokenClip({ low, high, dual, twoSided }: Of<"token">, nodes: PolicyNodes): Tensor {
  const { advantages } = nodes;
  const ratio = twoSided === undefined ? tokenRatio(nodes) : minimum(tokenRatio(nodes), twoSided);
  return dualClip(hardClip(ratio, advantages, { low, high }), advantages, dual);
}

/**
 * Sequence clip (GSPO, arXiv:2507.18071 Eq. 7): clips one length-normalised ratio per row, s = exp(mean_t log w) with
 * w = π/π_old. Every token has the value s and its own gradient, as in GSPO-token: s·w/sg(w), where sg stops the
 * gradient.
 */
function sequenceClip({ low, high, credit }: Of<"sequence">, nodes: PolicyNodes): Tensor {
  const { logProbs, oldLogProbs, mask } = nodes;
  const advantages = credit === "token" ? nodes.advantages : rowAdvantages(nodes);
  const meanLogRatio = rowMean(onResponse(mask, sub(logProbs, oldLogProbs)), mask);
  const tokenLogProbs = onResponse(mask, logProbs);
  const logRatio = add(stopGradient(meanLogRatio), sub(tokenLogProbs, stopGradient(tokenLogProbs)));
  return hardClip(exp(minimum(logRatio, maxSequenceLogRatio)), advantages, { low, high });
}

/**
 * Soft gate (SAPO, arXiv:2511.20347): ℓ = −(4/τ)·σ(τ·(w − 1))·A with w = π/π_old. At w = 1, the gradient equals that
 * of the plain policy gradient. The temperature τ depends on the sign of the row's mean advantage; 0 counts as
 * negative.
 */
function softGate({ tauPositive, tauNegative }: Of<"sapo">, nodes: PolicyNodes): Tensor {
  const { advantages } = nodes;
  const isPositive = greater(rowAdvantages(nodes), 0);
  const tau = where(isPositive, tauPositive, tauNegative); // (B, 1)
  const gate = sigmoid(mul(tau, sub(tokenRatio(nodes), 1)));
  return neg(mul(mul(div(4, tau), gate), advantages));
}

/** CISPO (arXiv:2506.13585 Eq. 4–5): ℓ = −sg(clip(w, 1 − low, 1 + high))·A·log π, w = π/π_old, sg: no gradient. */
function clippedWeight({ low, high }: Of<"cispo">, nodes: PolicyNodes): Tensor {
  const weight = stopGradient(clamp(tokenRatio(nodes), 1 - low, 1 + high));
  return neg(mul(mul(weight, nodes.advantages), onResponse(nodes.mask, nodes.logProbs)));
}

/**
 * Entropy-aware clip (AEPO, arXiv:2510.14545, as in verl): a clipped ratio loss with advantages A·(1 + weight·z). z
 * is the z-scored token entropy of the current policy, without gradient. Above the clip range, tokens with z ≤ 0 keep
 * the gradient of the bound, and tokens with z > 0 have no gradient.
 */
function entropyAwareClip({ low, high, dual, entropyWeight }: Of<"aepo">, nodes: PolicyNodes): Tensor {
  const advantages = mul(nodes.advantages, add(mul(nodes.signal, entropyWeight), 1));
  const ratio = tokenRatio(nodes);
  const bound = where(greater(nodes.signal, 0), 1 + high, mul(div(ratio, stopGradient(ratio)), 1 + high));
  const clipped = where(greater(ratio, 1 + high), bound, stopGradient(maximum(ratio, 1 - low)));
  const [free, held] = [neg(mul(advantages, ratio)), neg(mul(advantages, clipped))];
  return dualClip(where(greater(held, free), held, free), advantages, dual);
}

/**
 * Geometric mean (GMPO, arXiv:2507.20673 Eq. 4): ℓ_i = −Ā_i·exp(mean_t x), equal for all tokens of row i. x is the
 * token's log π/π_old: at most `high` if the row's mean advantage Ā_i is positive, else at least −`low`.
 */
function geometricMean({ low, high }: Of<"geometricMean">, nodes: PolicyNodes): Tensor {
  const { logProbs, oldLogProbs, mask } = nodes;
  const advantages = rowAdvantages(nodes);
  const logRatio = clamp(onResponse(mask, sub(logProbs, oldLogProbs)), -maxLogRatio, maxLogRatio);
  const clipped = stopGradient(clamp(logRatio, -low, high));
  const isPositive = greater(advantages, 0);
  const rising = where(greater(logRatio, clipped), clipped, logRatio);
  const falling = where(greater(clipped, logRatio), clipped, logRatio);
  return neg(mul(advantages, exp(rowMean(where(isPositive, rising, falling), mask))));
}

/**
 * KL-Cov (arXiv:2505.22617 Eq. 12): ℓ = −A·π/π_old + λ·|log π − log π_old|, λ = `weight` on selected tokens, else 0.
 */
function covariancePenalty({ weight }: Of<"klCov">, nodes: PolicyNodes): Tensor {
  const drift = onResponse(nodes.mask, sub(nodes.logProbs, nodes.oldLogProbs));
  const distance = maximum(drift, neg(drift));
  return add(neg(mul(nodes.advantages, tokenRatio(nodes))), mul(mul(nodes.signal, distance), weight));
}

/** `isAbove`, `isBelow`: outside the clip range. `isClipped`: the bound changes the loss. `isDual`: dual clip. */
type ClipEvents = { isClipped: boolean; isAbove: boolean; isBelow: boolean; isDual: boolean };

/** Numeric bounds of a clipping kind, computed once before a loop over tokens. */
type ClipRule = {
  /** Lower and upper bound of the clip range, as ratios π/π_old. */
  lowest: number;
  highest: number;
  clips: ClippingTraits["clips"];
  /** Dual-clip bound of the ratio where the advantage is negative; Infinity if the method has no dual clip. */
  dual: number;
};

/** Clip range with which metrics count clipped tokens, for clipping kinds without a range of their own. */
const usualRange = { low: 0.2, high: 0.2 } as const;

export function clipRule(clipping: Clipping): ClipRule {
  const [lowest, highest] = ratioRange(clipping);
  // Dual clip applies where A < 0 and max(w, lowest) > dual. dual is at least 1, so w > dual suffices.
  const dual = "dual" in clipping ? (clipping.dual ?? Infinity) : Infinity;
  return { lowest, highest, clips: clippingTraits[clipping.kind].clips, dual };
}

export function clipEvents({ lowest, highest, clips, dual }: ClipRule, ratio: number, advantage: number): ClipEvents {
  const isAbove = ratio > highest;
  const isBelow = ratio < lowest;
  const isPushed = (isAbove && advantage > 0) || (isBelow && advantage < 0);
  const isClipped = clips === "pushed" ? isPushed : clips === "outside" && (isAbove || isBelow);
  return { isClipped, isAbove, isBelow, isDual: advantage < 0 && ratio > dual };
}

function ratioRange(clipping: Clipping): readonly [lowest: number, highest: number] {
  const { low, high } = "low" in clipping ? clipping : usualRange;
  return clippingTraits[clipping.kind].range === "logRatio" ? [Math.exp(-low), Math.exp(high)] : [1 - low, 1 + high];
}
