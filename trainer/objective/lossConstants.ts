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
  /** What `seqMeanTokenSumNorm` divides by. */
  maxResponseTokens: number;
  /** Multiplies the policy loss; 1 when left out. */
  lossScale?: number;
  /** Of the whole batch, where correction weights are divided by it; the mini-batch's when left out. */
  meanWeight?: number;
};

export type LossConstantsBatch = SignalBatch & {
  mask: Float32Array | Uint8Array;
  /** (B, T) log-probabilities as the sampler computed them; the old ones when left out: no mismatch. */
  samplerLogProbs?: ArrayLike<number>;
  /** (B,) iterations between the policy that wrote the row and the newest; 0 when left out. */
  ages?: ArrayLike<number>;
};

/** What the loss of one mini-batch holds constant beside advantages, all (B, T). */
export type LossConstants = {
  policyWeights: Float32Array<ArrayBuffer>;
  penaltyWeights: Float32Array<ArrayBuffer>;
  signal: Float32Array<ArrayBuffer>;
  /** Log-probabilities of the ratio's denominator, see `anchorLogProbs`. */
  oldLogProbs: Float32Array<ArrayBuffer>;
  /** (B,) what sequence masking and rejections kept; undefined when the method masks nothing. */
  kept: boolean[] | undefined;
  /** What the correction did; undefined without one. */
  corrected: Corrected | undefined;
};

/**
 * Decides everything about a whole mini-batch that has no gradient: dropped rows and tokens, aggregation weights with their
 * denominators, correction weights, and the clipping kind's signal: L = Σ W·ω·ℓ with W of the mask that is kept, or of the whole one
 * times what is kept. Micro-batches take their rows from the result.
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

/**
 * log q of the ratio π/q: the proximal policy's, that is the old ones unless the correction takes others, or the sampler's
 * where the clipping says so. (B, T)
 */
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

/** Multiplies ω and what is kept into the weights of the policy loss, in place. */
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

/** (B,) whether anything of a row is left; a row without a response has lost nothing. */
function rowsLeft(tokenMask: ArrayLike<number>, { mask, shape: [numRows, width] }: LossConstantsBatch): boolean[] {
  return Array.from({ length: numRows }, (_, row) => {
    const tokens = Array.from({ length: width }, (_, t) => row * width + t).filter((at) => mask[at]);
    return tokens.length === 0 || tokens.some((at) => tokenMask[at]);
  });
}
