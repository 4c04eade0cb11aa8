import { add, constant, div, gather, logSoftmax, matmul, mean, mul, neg, reluSquared } from "#trainer/graph/ops.ts";
import { reshape, slice, softmax, sqrt, square, sum, takeAlongLast, transpose, exp } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { dimensionsOf, type PolicyConfig } from "./config.ts";
import type { ParameterTensors } from "./parameters.ts";

/**
 * A decoder-only transformer: pre-norm (RMSNorm without gain), causal attention, learned positions, squared-ReLU
 * feed-forward (arXiv:2109.08668), tied embeddings, no biases. Rows are padded on the right, so causality alone keeps
 * padding out of every valid token.
 * @param tokens (B, T) i64
 * @returns (B, T, V) logits of the next token
 */
export function transformerLogits(parameters: ParameterTensors, tokens: Tensor, config: PolicyConfig): Tensor {
  return toLogits(parameters, transformer(parameters, tokens, config).hidden);
}

/** (…, width) → (…, V) */
export function toLogits(parameters: ParameterTensors, hidden: Tensor): Tensor {
  return matmul(rmsNorm(hidden), transpose(parameter(parameters, "embedding")));
}

/** log π of the targets and the entropy of every step, both (B, T), under logits divided by the temperature. */
export function tokenLogProbs(logits: Tensor, targets: Tensor, temperature = 1): { logProbs: Tensor; entropy: Tensor } {
  const all = logSoftmax(temperature === 1 ? logits : mul(logits, 1 / temperature));
  return { logProbs: takeAlongLast(all, targets), entropy: neg(sum(mul(exp(all), all), -1)) };
}

export type Hidden = {
  /** (B, T, width) before the last norm. */
  readonly hidden: Tensor;
  /** (B, H, T, headWidth) of each layer. */
  readonly keys: readonly Tensor[];
  readonly values: readonly Tensor[];
};

export function transformer(parameters: ParameterTensors, tokens: Tensor, config: PolicyConfig): Hidden {
  const { numLayers } = dimensionsOf(config);
  const [, numTokens = 0] = tokens.shape;
  const positions = slice(parameter(parameters, "positions"), 0, [0, numTokens]);
  let x = add(gather(parameter(parameters, "embedding"), tokens), positions);
  const mask = causalMask(numTokens);
  const [keys, values]: [Tensor[], Tensor[]] = [[], []];
  for (let i = 0; i < numLayers; i++) {
    const [q, k, v] = splitHeads(matmul(rmsNorm(x), parameter(parameters, `layer${i}/qkv`)), config);
    const weights = softmax(add(matmul(q, transpose(k)), mask));
    x = add(x, matmul(joinHeads(matmul(weights, v)), parameter(parameters, `layer${i}/out`)));
    x = add(x, feedForward(parameters, x, i));
    keys.push(k);
    values.push(v);
  }
  return { hidden: x, keys, values };
}

export function feedForward(parameters: ParameterTensors, x: Tensor, layer: number): Tensor {
  const up = matmul(rmsNorm(x), parameter(parameters, `layer${layer}/up`));
  return matmul(reluSquared(up), parameter(parameters, `layer${layer}/down`));
}

/** x / rms(x) over the last axis. */
export function rmsNorm(x: Tensor): Tensor {
  return mul(x, div(1, sqrt(add(mean(square(x), -1, { keepDims: true }), 1e-6))));
}

/** (B, T, 3·width) → queries (scaled by 1/√headWidth), keys and values, each (B, H, T, headWidth). */
export function splitHeads(qkv: Tensor, config: PolicyConfig): readonly [Tensor, Tensor, Tensor] {
  const { numHeads, headWidth } = dimensionsOf(config);
  const [numRows = 0, numTokens = 0] = qkv.shape;
  const heads = transpose(reshape(qkv, [numRows, numTokens, 3, numHeads, headWidth]), [2, 0, 3, 1, 4]);
  const part = (i: number): Tensor => reshape(slice(heads, 0, [i, i + 1]), [numRows, numHeads, numTokens, headWidth]);
  return [mul(part(0), 1 / Math.sqrt(headWidth)), part(1), part(2)];
}

/** (B, H, T, headWidth) → (B, T, width) */
export function joinHeads(x: Tensor): Tensor {
  const [numRows = 0, numHeads = 0, numTokens = 0, headWidth = 0] = x.shape;
  return reshape(transpose(x, [0, 2, 1, 3]), [numRows, numTokens, numHeads * headWidth]);
}

export function parameter(parameters: ParameterTensors, name: string): Tensor {
  const found = parameters[name];
  if (!found) throw new RangeError(`the policy has no parameter "${name}"`);
  return found;
}

/** Low enough that softmax gives exactly 0, yet finite. */
export const MASKED = -1e9;

/** (T, T): 0 where a token may look, else MASKED. */
function causalMask(numTokens: number): Tensor {
  const values = Float32Array.from({ length: numTokens ** 2 }, (_, i) =>
    i % numTokens > Math.floor(i / numTokens) ? MASKED : 0,
  );
  return constant(values, [numTokens, numTokens]);
}
