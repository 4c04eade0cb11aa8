import { effectiveAggregation, penaltyAggregationOf, type Method } from "#trainer/spec/method.ts";
import type { Clipping } from "#trainer/spec/dimensions.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { UpdateSpec } from "#trainer/spec/run.ts";
import { clippingTraits, sequenceMaskOf } from "#trainer/spec/traits.ts";
import { weightsByParts } from "./aggregation.ts";
import { geometricMeans, truncatedImportance } from "./importance.ts";
import { keptRows, maskRows } from "./sequenceMask.ts";
import { tokenSignal, type SignalBatch } from "./tokenSignal.ts";

export type LossConstantsSpec = {
  method: Method;
  update: Pick<UpdateSpec, "truncatedImportance" | "denominatorRows">;
  /** What `seqMeanTokenSumNorm` divides by. */
  maxResponseTokens: number;
  /** Multiplies the policy loss; 1 when left out. */
  lossScale?: number;
};

export type LossConstantsBatch = SignalBatch & {
  mask: Float32Array | Uint8Array;
  /** (B, T) log-probabilities as the sampler computed them; read only where importance is truncated. */
  samplerLogProbs?: ArrayLike<number>;
};

/** What the loss of one mini-batch holds constant beside log-probabilities and advantages, all (B, T). */
export type LossConstants = {
  policyWeights: Float32Array<ArrayBuffer>;
  penaltyWeights: Float32Array<ArrayBuffer>;
  signal: Float32Array<ArrayBuffer>;
  /** (B,) what sequence masking kept; undefined when the method masks nothing. */
  kept: boolean[] | undefined;
  /** Response tokens whose importance weight was cut at its cap. */
  numTruncated: number;
};

/**
 * Decides everything about a whole mini-batch that has no gradient: dropped rows, aggregation weights with their
 * denominators, truncated importance, and the clipping kind's signal. Micro-batches take their rows from the result.
 */
export function lossConstants(spec: LossConstantsSpec, batch: LossConstantsBatch, rng: Rng): LossConstants {
  const { method, update, maxResponseTokens, lossScale = 1 } = spec;
  const { clipping } = method;
  const masking = sequenceMaskOf(clipping);
  const kept = masking ? keptRows(batch, masking.delta) : undefined;
  const options = { partRows: update.denominatorRows, normaliserTokens: maxResponseTokens };
  const penaltyWeights = weightsByParts(batch.mask, batch.shape, {
    ...options,
    aggregation: penaltyAggregationOf(method),
  });
  const policyMask = kept ? maskRows(batch.mask, batch.shape, kept) : batch.mask;
  const policyWeights = weightsByParts(policyMask, batch.shape, {
    ...options,
    aggregation: effectiveAggregation(method),
  });
  if (lossScale !== 1) for (const [at, x] of policyWeights.entries()) policyWeights[at] = x * lossScale;
  const numTruncated = weighImportance(policyWeights, batch, { cap: update.truncatedImportance, clipping });
  return { policyWeights, penaltyWeights, signal: tokenSignal(clipping, batch, rng), kept, numTruncated };
}

/** Multiplies truncated importance weights in; the number of response tokens that were cut. */
function weighImportance(
  weights: Float32Array,
  { oldLogProbs, samplerLogProbs, mask, shape }: LossConstantsBatch,
  { cap, clipping }: { cap: number | null; clipping: Clipping },
): number {
  if (cap === null || !samplerLogProbs) return 0;
  const byToken = truncatedImportance(oldLogProbs, samplerLogProbs, cap);
  const acting = clippingTraits[clipping.kind].loss === "row" ? geometricMeans(byToken, mask, shape) : byToken;
  let numCut = 0;
  for (const [at, importance] of byToken.entries()) {
    if (!mask[at]) continue;
    weights[at] = (weights[at] ?? 0) * (acting[at] ?? 0);
    if (importance === cap) numCut++;
  }
  return numCut;
}
