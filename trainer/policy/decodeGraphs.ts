import { add, gather, input, reshape } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { dimensionsOf, type PolicyConfig } from "./config.ts";
import { attendToBoth, attendToCache, joinHeads } from "./heads.ts";
import { parameterInputs } from "./parameters.ts";
import { piecesOf } from "./pieces.ts";
import { causalMask, selectionInputs, toLogits, transformer } from "./transformer.ts";

/** Outputs of a decoding graph by name: `logits` (B, V), and each layer's `keys0`, `values0`, … */
export type DecodeOutputs = Readonly<Record<string, Tensor>>;

/**
 * Prefill graph, which processes whole prompts. Feeds: `tokens` (B, T) i64, and the position of each prompt's last
 * token. Outputs: the logits after the last token, and keys and values of every token, (B, KV, T, headWidth).
 */
export function prefillGraph(config: PolicyConfig, numRows: number, numTokens: number): DecodeOutputs {
  const network = { parameters: parameterInputs(config), config };
  const tokens = input("tokens", [numRows, numTokens], "i64");
  const { hidden, keys, values } = transformer(network, tokens, selectionInputs(numRows, 1));
  const logits = toLogits(network, reshape(hidden, [numRows, dimensionsOf(config).width]));
  return { logits, ...byLayer(keys, values) };
}

/**
 * Decoding graph for one token per row. Feeds: `tokens` and `tokenPositions` (B, 1) i64; `mask` (B, 1, 1, S), 0 on
 * filled positions of the cache and MASKED elsewhere; the cache `keys0`, `values0`, … (B, KV, S, headWidth). Outputs:
 * the next logits, and the keys and values of the new token, (B, KV, 1, headWidth).
 */
export function stepGraph(config: PolicyConfig, numRows: number, cacheTokens: number): DecodeOutputs {
  return stepThrough(config, input("mask", [numRows, 1, 1, cacheTokens]));
}

/** Decoding graph like `stepGraph`, but with the given cache mask (B, 1, 1, S) instead of a feed. */
export function stepThrough(config: PolicyConfig, mask: Tensor): DecodeOutputs {
  const [numRows = 0, , , cacheTokens = 0] = mask.shape;
  const network = { parameters: parameterInputs(config), config };
  const { embed, project, output, feedForward } = piecesOf(network);
  const { numLayers, numKeyValueHeads, headWidth, width } = dimensionsOf(config);
  const positions = input("tokenPositions", [numRows, 1], "i64");
  let x = embed(input("tokens", [numRows, 1], "i64"), positions);
  const cache = (name: string): Tensor => input(name, [numRows, numKeyValueHeads, cacheTokens, headWidth]);
  const [keys, values]: [Tensor[], Tensor[]] = [[], []];
  for (let i = 0; i < numLayers; i++) {
    const projected = project(x, i, { positions });
    const attended = attendToCache(projected, { keys: cache(`keys${i}`), values: cache(`values${i}`), mask });
    x = add(x, output(joinHeads(attended), i));
    x = add(x, feedForward(x, i));
    keys.push(projected.k);
    values.push(projected.v);
  }
  return { logits: toLogits(network, reshape(x, [numRows, width])), ...byLayer(keys, values) };
}

/**
 * Graph that processes T new tokens per row of conversations with cached tokens. Feeds: `tokens` and `tokenPositions`
 * (B, T) i64; `lastIndices` (B, 1) i64 (row·T + index of each row's last token); `mask` and the cache as in
 * `stepGraph`. Outputs: the logits after each row's last token, and keys and values of all T tokens, (B, KV, T,
 * headWidth).
 */
export function extendGraph(
  config: PolicyConfig,
  numTokens: number,
  { numRows, cacheTokens }: CacheSize,
): DecodeOutputs {
  const network = { parameters: parameterInputs(config), config };
  const { embed, project, output, feedForward } = piecesOf(network);
  const { numLayers, numKeyValueHeads, headWidth, width } = dimensionsOf(config);
  const positions = input("tokenPositions", [numRows, numTokens], "i64");
  const mask = input("mask", [numRows, 1, 1, cacheTokens]);
  const cache = (name: string): Tensor => input(name, [numRows, numKeyValueHeads, cacheTokens, headWidth]);
  const causal = causalMask(numTokens);
  let x = embed(input("tokens", [numRows, numTokens], "i64"), positions);
  const [keys, values]: [Tensor[], Tensor[]] = [[], []];
  for (let i = 0; i < numLayers; i++) {
    const projected = project(x, i, { positions });
    const past = { keys: cache(`keys${i}`), values: cache(`values${i}`), mask };
    x = add(x, output(joinHeads(attendToBoth(projected, past, causal)), i));
    x = add(x, feedForward(x, i));
    keys.push(projected.k);
    values.push(projected.v);
  }
  const last = gather(reshape(x, [numRows * numTokens, width]), input("lastIndices", [numRows, 1], "i64"));
  return { logits: toLogits(network, reshape(last, [numRows, width])), ...byLayer(keys, values) };
}

/** Size of a key–value cache: number of rows, and number of token positions per row. */
type CacheSize = { readonly numRows: number; readonly cacheTokens: number };

function byLayer(keys: readonly Tensor[], values: readonly Tensor[]): DecodeOutputs {
  return Object.fromEntries([
    ...keys.map((tensor, i) => [`keys${i}`, tensor] as const),
    ...values.map((tensor, i) => [`values${i}`, tensor] as const),
  ]);
}
