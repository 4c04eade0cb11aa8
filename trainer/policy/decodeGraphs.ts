import { add, concat, input, matmul, mul, reshape, slice, softmax, sum, transpose } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { dimensionsOf, type PolicyConfig } from "./config.ts";
import { parameterInputs } from "./parameters.ts";
import {
  embed,
  feedForward,
  joinHeads,
  parameter,
  rmsNorm,
  splitHeads,
  selectionInputs,
  toLogits,
  transformer,
  turn,
} from "./transformer.ts";

/** Named outputs of a decoding graph: `logits` (B, V), `keys0`, `values0`, … */
export type DecodeOutputs = Readonly<Record<string, Tensor>>;

/**
 * Reads whole prompts. Feeds: `tokens` (B, T) i64, and the position of each prompt's last token.
 * Outputs the logits after it, and keys and values of every token, (B, H, T, headWidth).
 */
export function prefillGraph(config: PolicyConfig, numRows: number, numTokens: number): DecodeOutputs {
  const parameters = parameterInputs(config);
  const tokens = input("tokens", [numRows, numTokens], "i64");
  const { hidden, keys, values } = transformer({ parameters, config }, tokens, selectionInputs(numRows, 1));
  const logits = toLogits(parameters, reshape(hidden, [numRows, dimensionsOf(config).width]));
  return { logits, ...byLayer(keys, values) };
}

/**
 * One more token per row. Feeds: `tokens`, `tokenPositions` (B, 1) i64, `mask` (B, 1, 1, S), 0 on filled positions of the
 * cache and MASKED elsewhere, and the cache, `keys0`, `values0`, … (B, H, S, headWidth).
 * Outputs the next logits and the keys and values of the new token, (B, H, 1, headWidth).
 */
export function stepGraph(config: PolicyConfig, numRows: number, cacheTokens: number): DecodeOutputs {
  const parameters = parameterInputs(config);
  const { numLayers, numHeads, headWidth, width } = dimensionsOf(config);
  const positions = input("tokenPositions", [numRows, 1], "i64");
  let x = embed({ parameters, config }, input("tokens", [numRows, 1], "i64"), positions);
  const mask = input("mask", [numRows, 1, 1, cacheTokens]);
  const [keys, values]: [Tensor[], Tensor[]] = [[], []];
  for (let i = 0; i < numLayers; i++) {
    const pastKeys = input(`keys${i}`, [numRows, numHeads, cacheTokens, headWidth]);
    const pastValues = input(`values${i}`, [numRows, numHeads, cacheTokens, headWidth]);
    const [query, key, v] = splitHeads(matmul(rmsNorm(x), parameter(parameters, `layer${i}/qkv`)), config);
    const [q, k] = [turn(query, config, positions), turn(key, config, positions)];
    const pastScores = add(matmul(q, transpose(pastKeys)), mask);
    const weights = softmax(concat([pastScores, sum(mul(q, k), -1, { keepDims: true })], -1));
    const past = matmul(slice(weights, -1, [0, cacheTokens]), pastValues);
    const attended = add(past, mul(slice(weights, -1, [cacheTokens, cacheTokens + 1]), v));
    x = add(x, matmul(joinHeads(attended), parameter(parameters, `layer${i}/out`)));
    x = add(x, feedForward(parameters, x, i));
    keys.push(k);
    values.push(v);
  }
  return { logits: toLogits(parameters, reshape(x, [numRows, width])), ...byLayer(keys, values) };
}

function byLayer(keys: readonly Tensor[], values: readonly Tensor[]): DecodeOutputs {
  return Object.fromEntries([
    ...keys.map((tensor, i) => [`keys${i}`, tensor] as const),
    ...values.map((tensor, i) => [`values${i}`, tensor] as const),
  ]);
}
