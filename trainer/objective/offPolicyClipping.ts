import type { Clipping } from "#trainer/spec/dimensions.ts";
import {
  add,
  clamp,
  div,
  exp,
  greater,
  log,
  maximum,
  minimum,
  mul,
  neg,
  square,
  stopGradient,
  sub,
  sum,
  where,
} from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import {
  dualClip,
  hardClip,
  maxLogRatio,
  maxSequenceLogRatio,
  onResponse,
  rowAdvantages,
  tokenRatio,
  type PolicyNodes,
} from "./logRatio.ts";

/**
 * Options of one kind of clipping. The losses below use: A advantage, p = π current probability, q log-probability of
 * the anchor policy, π_a = e^q, r = w = π/π_a, sg stop-gradient.
 */
type Of<K extends Clipping["kind"]> = Extract<Clipping, { kind: K }>;

/**
 * Divergence mask (DPPO, arXiv:2602.04879; IPO and the default of prime-rl): ℓ = −A·sg(min(r, cap))·log π·[¬bad], or
 * −A·r·[¬bad], plus drift·(log π − q)² on all tokens. A token is bad if its probability moved by more than `low` or
 * `high`, measured by p − π_a or by the KL between binary distributions (this token or any other). Only moves in the
 * advantage's direction count; with `sided` "both", all moves count.
 */
export function divergenceMask(
  { low, high, sided, surrogate, cap, drift, measure }: Of<"divergence">,
  nodes: PolicyNodes,
) {
  const { advantages, mask } = nodes;
  const moved = measure === "tv" ? probabilityMoves(nodes) : binaryKlMoves(nodes);
  const [isUp, isDown] = [flag(moved.up, high), flag(moved.down, low)];
  const bad = sided === "both" ? maximum(isUp, isDown) : where(greater(advantages, 0), isUp, isDown);
  const ratio = tokenRatio(nodes);
  const weight = stopGradient(cap === null ? ratio : minimum(ratio, cap));
  const gain = surrogate === "score" ? mul(weight, onResponse(mask, nodes.logProbs)) : ratio;
  const loss = neg(mul(mul(advantages, gain), sub(1, bad)));
  return drift === 0 ? loss : add(loss, mul(square(logRatioOf(nodes)), drift));
}

/** Returns a tensor that is 1 where x exceeds the bound, else 0. */
function flag(x: Tensor, bound: number): Tensor {
  return where(greater(x, bound), 1, 0);
}

type Moves = { up: Tensor; down: Tensor };

/** Measure of DPPO's mask: increase and decrease of each token's probability, ±(p − π_a), without gradient. */
function probabilityMoves({ logProbs, oldLogProbs, mask }: PolicyNodes): Moves {
  const difference = stopGradient(sub(exp(onResponse(mask, logProbs)), exp(onResponse(mask, oldLogProbs))));
  return { up: difference, down: neg(difference) };
}

/**
 * Measure of DPPO's mask: binary KL of each token, π_a·(q − log π) + (1 − π_a)·log((1 − π_a + ε)/(1 − p + ε)) with ε
 * = 1e-8. It counts as increase or as decrease, by the direction in which the probability moved.
 */
function binaryKlMoves(nodes: PolicyNodes): Moves {
  const { logProbs, oldLogProbs, mask } = nodes;
  const [p, anchor] = [exp(onResponse(mask, logProbs)), exp(onResponse(mask, oldLogProbs))];
  const rest = (x: Tensor): Tensor => add(sub(1, x), 1e-8);
  const ofToken = mul(anchor, onResponse(mask, sub(oldLogProbs, logProbs)));
  const ofRest = mul(sub(1, anchor), log(div(rest(anchor), rest(p))));
  const kl = stopGradient(add(ofToken, ofRest));
  return { up: where(greater(p, anchor), kl, 0), down: where(greater(anchor, p), kl, 0) };
}

/**
 * Quadratic penalty: ℓ = −(r·A − |A|/(2δ)·g·(r − 1)²), with g = π_a (DRPO, arXiv:2606.09821) or g = 1 (SPO,
 * arXiv:2401.16025). The gradient is 0 where the probability (DRPO) or the ratio r (SPO) has moved by δ, and changes
 * its sign beyond.
 */
export function quadraticPenalty({ geometry, delta }: Of<"quadratic">, nodes: PolicyNodes): Tensor {
  const { advantages, oldLogProbs, mask } = nodes;
  const ratio = tokenRatio(nodes);
  const size = maximum(advantages, neg(advantages));
  const penalty = mul(mul(size, 1 / (2 * delta)), square(sub(ratio, 1)));
  const scaled = geometry === "ratio" ? penalty : mul(penalty, exp(minimum(onResponse(mask, oldLogProbs), 0)));
  return sub(scaled, mul(ratio, advantages));
}

/** Loss of DRO (arXiv:2405.19107): ℓ = −(A·log π − β/2·(log π − q)²), where q is the anchor's log-probability. */
export function quadraticLogPenalty({ beta }: Of<"quadraticLog">, nodes: PolicyNodes): Tensor {
  return add(scoreLoss(nodes), mul(square(logRatioOf(nodes)), beta / 2));
}

/**
 * Loss of VESPO (arXiv:2602.10693): ℓ = −sg(φ(W))·A·log π with φ(W) = e^λ·W^k·e^(−λW), which is 1 at W = 1. W is the
 * product of a row's ratios to π_old and its importance weights ω; the signal contains log ω of every token. k and λ
 * depend on the sign of the row's advantage.
 */
export function variationalWeight(clipping: Of<"vespo">, nodes: PolicyNodes): Tensor {
  const logWeight = clamp(
    sum(add(boundedLogRatio(nodes), onResponse(nodes.mask, nodes.signal)), -1, { keepDims: true }),
    -maxLogRatio,
    maxLogRatio,
  ); // (B, 1)
  const shape = (k: number, lambda: number): Tensor =>
    exp(sub(add(mul(maximum(logWeight, Math.log(1e-8)), k), lambda), mul(exp(logWeight), lambda)));
  const isNegative = greater(0, rowAdvantages(nodes));
  const { kPositive, lambdaPositive, kNegative, lambdaNegative } = clipping;
  const phi = where(isNegative, shape(kNegative, lambdaNegative), shape(kPositive, lambdaPositive));
  return mul(stopGradient(phi), scoreLoss(nodes));
}

/**
 * Loss of ASPO (arXiv:2510.06062). The factor of a token with positive advantage A is the inverse ratio, A/min(w, 1 +
 * high); with negative advantage it is the ratio, A·max(w, 1 − low). The factor is at most `dual`, and tokens outside
 * the range have no gradient. The signal is 1 on tokens that use the wide range (`lowWide`, `highWide`).
 */
export function asymmetricRatio(clipping: Of<"aspo">, nodes: PolicyNodes): Tensor {
  const { advantages, signal } = nodes;
  const { low, high, lowWide = low, highWide = high, dual } = clipping;
  const isWide = greater(signal, 0.5);
  const [lowest, highest] = [where(isWide, 1 - lowWide, 1 - low), where(isWide, 1 + highWide, 1 + high)];
  const ratio = tokenRatio(nodes);
  const held = maximum(stopGradient(ratio), lowest);
  const falling = neg(mul(advantages, where(greater(lowest, ratio), held, ratio)));
  const inverse = div(1, stopGradient(minimum(ratio, highest)));
  const flowing = div(ratio, stopGradient(ratio)); // w/sg(w) has the value 1 and the gradient of log π.
  const rising = neg(mul(advantages, where(greater(ratio, highest), inverse, mul(flowing, inverse))));
  const factor = stopGradient(where(greater(0, advantages), held, inverse));
  const loss = where(greater(0, advantages), falling, rising);
  if (dual === null) return loss;
  return where(greater(factor, dual), mul(scoreLoss(nodes), dual), loss);
}

/**
 * Loss of CE-GPPO (arXiv:2509.20712): where a clip would remove the gradient, ℓ = −β·bound·(w/sg(w))·A keeps a
 * gradient of the bound's size; elsewhere ℓ = −w·A. Where A < 0, ℓ is at most −A·dual.
 */
export function preservedGradient(clipping: Of<"gradientPreserving">, nodes: PolicyNodes): Tensor {
  const { advantages } = nodes;
  const { low, high, betaLow, betaHigh, dual } = clipping;
  const ratio = tokenRatio(nodes);
  const flowing = div(ratio, stopGradient(ratio));
  const below = mul(where(greater(1 - low, ratio), mul(flowing, betaLow * (1 - low)), ratio), advantages);
  const above = mul(where(greater(ratio, 1 + high), mul(flowing, betaHigh * (1 + high)), ratio), advantages);
  const pushed = where(greater(advantages, 0), above, where(greater(0, advantages), below, mul(ratio, advantages)));
  return dualClip(neg(pushed), advantages, dual);
}

/**
 * Turn clip for rows that are whole episodes: clips one ratio per turn, s = exp(sg(mean or sum of the turn's log w) +
 * log π − sg(log π)). Each token has the turn's value s and its own gradient. The signal contains the turn's
 * log-ratio.
 */
export function turnClip({ low, high }: Of<"turn">, nodes: PolicyNodes): Tensor {
  const logProbs = onResponse(nodes.mask, nodes.logProbs);
  const logRatio = add(onResponse(nodes.mask, nodes.signal), sub(logProbs, stopGradient(logProbs)));
  return hardClip(exp(minimum(logRatio, maxSequenceLogRatio)), nodes.advantages, { low, high });
}

/** Plain policy gradient: ℓ = −A·log π. */
export function scoreLoss({ advantages, logProbs, mask }: PolicyNodes): Tensor {
  return neg(mul(advantages, onResponse(mask, logProbs)));
}

/** Policy gradient with an unbounded ratio: ℓ = −A·w. */
export function ratioLoss(nodes: PolicyNodes): Tensor {
  return neg(mul(nodes.advantages, tokenRatio(nodes)));
}

function logRatioOf({ logProbs, oldLogProbs, mask }: PolicyNodes): Tensor {
  return onResponse(mask, sub(logProbs, oldLogProbs));
}

function boundedLogRatio(nodes: PolicyNodes): Tensor {
  return clamp(logRatioOf(nodes), -maxLogRatio, maxLogRatio);
}
