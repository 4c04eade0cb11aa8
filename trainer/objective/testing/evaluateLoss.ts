import { gradients } from "#trainer/graph/backward.ts";
import { interpret } from "#trainer/graph/testing/interpret.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import { split } from "#trainer/spec/rng.ts";
import { effectiveAggregation, type Method } from "#trainer/spec/method.ts";
import { sequenceMaskOf } from "#trainer/spec/traits.ts";
import { aggregationWeights, type AggregationOptions } from "../aggregation.ts";
import { buildLoss, lossNodes, type LossCoefs } from "../loss.ts";
import { tokenSignal } from "../tokenSignal.ts";
import { keptRows, maskRows, type TokenBatch } from "../sequenceMask.ts";

export type LossBatch = TokenBatch & {
  /** (B, T) log-probabilities log π_ref; zeros if absent. */
  referenceLogProbs?: ArrayLike<number>;
  /** (B, T) token entropies; zeros if absent. */
  entropy?: ArrayLike<number>;
  /** (B, T) per-token input of the clipping kind, instead of the computed one. */
  signal?: ArrayLike<number>;
};

export type LossValues = { total: number; policy: number; kl: number; entropy: number; gradient: number[] };

type Options = LossCoefs & Partial<AggregationOptions>;

/** Loss and gradient by log-probabilities, as in training: by ONNX Runtime and by the interpreter. */
export async function evaluateLoss(
  method: Method,
  batch: LossBatch,
  { klCoef, entropyCoef, ...aggregation }: Options,
): Promise<{ compiled: LossValues; interpreted: LossValues; kept: boolean[] }> {
  const kept = keptRowsOf(method, batch);
  const nodes = lossNodes(batch.shape);
  const { total, policy, kl, entropy } = buildLoss(method, { klCoef, entropyCoef }, nodes);
  const [gradient] = gradients(total, [nodes.logProbs]);
  if (!gradient) throw new Error("no gradient");
  const weights = (mask: ArrayLike<number>): Float32Array =>
    aggregationWeights(mask, batch.shape, {
      aggregation: effectiveAggregation(method),
      normaliserTokens: 1,
      ...aggregation,
    });
  const zeros = new Float32Array(batch.mask.length);
  const feeds = {
    logProbs: Float32Array.from(batch.logProbs),
    oldLogProbs: Float32Array.from(batch.oldLogProbs),
    referenceLogProbs: Float32Array.from(batch.referenceLogProbs ?? zeros),
    entropy: Float32Array.from(batch.entropy ?? zeros),
    advantages: Float32Array.from(batch.advantages),
    mask: Float32Array.from(batch.mask),
    signal: batch.signal
      ? Float32Array.from(batch.signal)
      : tokenSignal(method.clipping, { ...batch, entropies: batch.entropy ?? zeros }, split(0, "signal")),
    policyWeights: weights(maskRows(batch.mask, batch.shape, kept)),
    penaltyWeights: weights(batch.mask),
  };
  const outputs = { total, policy, kl, entropy, gradient };
  return { compiled: await compiledValues(outputs, feeds), interpreted: interpretedValues(outputs, feeds), kept };
}

type Outputs = Record<keyof LossValues, Tensor>;

async function compiledValues(outputs: Outputs, feeds: Record<string, Float32Array>): Promise<LossValues> {
  const session = await makeSession(outputs);
  const { total, policy, kl, entropy, gradient } = await session.run(feeds);
  await session.close();
  return { ...scalars([total, policy, kl, entropy]), gradient: [...gradient] };
}

function interpretedValues(outputs: Outputs, feeds: Record<string, Float32Array>): LossValues {
  const { total, policy, kl, entropy, gradient } = outputs;
  const values = interpret([total, policy, kl, entropy, gradient], feeds);
  return { ...scalars(values), gradient: [...(values[4] ?? [])] };
}

function scalars(values: readonly ArrayLike<number>[]): Omit<LossValues, "gradient"> {
  const [total = NaN, policy = NaN, kl = NaN, entropy = NaN] = values.map((x) => x[0] ?? NaN);
  return { total, policy, kl, entropy };
}

function keptRowsOf({ clipping }: Method, batch: LossBatch): boolean[] {
  const sequenceMask = sequenceMaskOf(clipping);
  return sequenceMask ? keptRows(batch, sequenceMask.delta) : Array.from({ length: batch.shape[0] }, () => true);
}
