import { correctionOf, isCorrected } from "#trainer/spec/correction.ts";
import { effectiveAggregation, penaltyAggregationOf, type Method } from "#trainer/spec/method.ts";
import type { Clipping } from "#trainer/spec/dimensions.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { UpdateSpec } from "#trainer/spec/run.ts";
import { clippingTraits, sequenceMaskOf } from "#trainer/spec/traits.ts";
import { weightsByParts } from "./aggregation.ts";
import { correct, geometricMeans, type Corrected } from "./correction.ts";
import { keptRows, maskRows } from "./sequenceMask.ts";
import { tokenSignal, type SignalBatch } from "./tokenSignal.ts";

export type LossConstantsSpec = {
  method: Method;
  update: Pick<UpdateSpec, "truncatedImportance" | "denominatorRows">;
  /** Maximum response length in tokens, the divisor of `seqMeanTokenSumNorm`. */
  maxResponseTokens: number;
  /** Constant factor on the policy loss; 1 if absent. */
  lossScale?: number;
  /** Mean importance weight of the batch, by which weights are divided; default: the minibatch's. */
  meanWeight?: number;
};

export type LossConstantsBatch = SignalBatch & {
  mask: Float32Array | Uint8Array;
  /** (B, T) log-probabilities under the sampler; if absent, they equal the old log-probabilities. */
  samplerLogProbs?: ArrayLike<number>;
  /** (B,) staleness of each row in iterations: newest policy version minus the sampling one; 0 if absent. */
  ages?: ArrayLike<number>;
};

/** Inputs of one minibatch's loss without gradient, apart from the advantages; all (B, T) unless stated otherwise. */
export type LossConstants = {
  policyWeights: Float32Array<ArrayBuffer>;
  penaltyWeights: Float32Array<ArrayBuffer>;
  signal: Float32Array<ArrayBuffer>;
  /** Log-probabilities in the denominator of the ratio: those of the old policy, the proximal policy or the sampler. */
  oldLogProbs: Float32Array<ArrayBuffer>;
  /** (B,) true for rows that sequence masking and rejections kept; undefined if the method never drops rows. */
  kept: boolean[] | undefined;
  /** Result of the off-policy correction; undefined if the method has none. */
  corrected: Corrected | undefined;
};

/**
 * Computes all factors of a minibatch's loss that have no gradient: kept rows and tokens, aggregation weights W,
 * importance weights ω, and the clipping kind's signal. L = Σ W·ω·ℓ over the kept tokens. The correction's
 * `denominator` decides if rejected tokens count in W's denominators. Micro-batches select their rows from the
 * result.
 */
export function lossConstants(spec: LossConstantsSpec, batch: LossConstantsBatch, rng: Rng): LossConstants {
  const { method, update, maxResponseTokens, lossScale = 1 } = spec;
  const { clipping } = method;
  const correction = correctionOf(method, update);
  const sampled = { ...batch, samplerLogProbs: batch.samplerLogProbs ?? batch.oldLogProbs };
  const corrected = isCorrected(correction) ? correct(correction, sampled, spec.meanWeight) : undefined;
  const oldLogProbs = anchorLogProbs(clipping, sampled, corrected);
  const masking = sequenceMaskOf(clipping);
  const masked = masking ? keptRows({ ...batch, oldLogProbs }, masking.delta) : undefined;
  const options = { partRows: update.denominatorRows, normaliserTokens: maxResponseTokens };
  const penaltyWeights = weightsByParts(batch.mask, batch.shape, {
    ...options,
    aggregation: penaltyAggregationOf(method),
  });
  const rowMask = masked ? maskRows(batch.mask, batch.shape, masked) : batch.mask;
  const isRejecting = correction.reject.length > 0;
  const tokenMask = corrected && isRejecting ? rowMask.map((x, at) => x * (corrected.kept[at] ?? 0)) : rowMask;
  const policyWeights = weightsByParts(correction.denominator === "kept" ? tokenMask : rowMask, batch.shape, {
    ...options,
    aggregation: effectiveAggregation(method),
  });
  if (lossScale !== 1) for (const [at, x] of policyWeights.entries()) policyWeights[at] = x * lossScale;
  if (corrected) applyCorrection(policyWeights, batch, { clipping, corrected, tokenMask });
  const importance = corrected && clippingTraits[clipping.kind].takesWeights ? corrected.weights : undefined;
  const signal = tokenSignal(clipping, { ...batch, oldLogProbs, ...(importance && { importance }) }, rng);
  const kept = masked || isRejecting ? rowsLeft(tokenMask, batch) : undefined;
  return { policyWeights, penaltyWeights, signal, oldLogProbs, kept, corrected };
}

/** (B, T) denominator of the ratio: the proximal policy, by default the old one, or as the clipping requires. */
function anchorLogProbs(
  clipping: Clipping,
  { samplerLogProbs, oldLogProbs }: { samplerLogProbs: ArrayLike<number>; oldLogProbs: ArrayLike<number> },
  corrected: Corrected | undefined,
): Float32Array<ArrayBuffer> {
  const anchor = "anchor" in clipping ? clipping.anchor : undefined;
  if (anchor === "sampler") return Float32Array.from(samplerLogProbs);
  if (anchor === "old") return Float32Array.from(oldLogProbs);
  return Float32Array.from(corrected?.proximalLogProbs ?? oldLogProbs);
}

/** Multiplies policy weights in place by the token mask and, unless the clipping kind uses it itself, by ω. */
function applyCorrection(
  policyWeights: Float32Array,
  { mask, shape }: LossConstantsBatch,
  { clipping, corrected, tokenMask }: { clipping: Clipping; corrected: Corrected; tokenMask: ArrayLike<number> },
): void {
  const { loss, takesWeights } = clippingTraits[clipping.kind];
  const acting = loss === "row" ? geometricMeans(corrected.weights, mask, shape) : corrected.weights;
  for (let at = 0; at < mask.length; at++) {
    if (!mask[at]) continue;
    const importance = takesWeights ? 1 : (acting[at] ?? 0);
    policyWeights[at] = tokenMask[at] ? (policyWeights[at] ?? 0) * importance : 0;
  }
}

/** Returns (B,) true for rows with at least one kept token, and for rows without a response. */
function rowsLeft(tokenMask: ArrayLike<number>, { mask, shape: [numRows, width] }: LossConstantsBatch): boolean[] {
  return Array.from({ length: numRows }, (_, row) => {
    const tokens = Array.from({ length: width }, (_, t) => row * width + t).filter((at) => mask[at]);
    return tokens.length === 0 || tokens.some((at) => tokenMask[at]);
  });
}
