import {
  add,
  constant,
  fill,
  gather,
  greater,
  input,
  isGreater,
  mul,
  pad,
  reshape,
  where,
} from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { choiceGraph, type ChoiceKind } from "./choiceGraph.ts";
import { dimensionsOf, type PolicyConfig } from "./config.ts";
import { prefillGraph, stepThrough, type DecodeOutputs } from "./decodeGraphs.ts";
import { MASKED } from "./heads.ts";

/** Rows B of a cache of S tokens, (B, KV, S, headWidth) a layer. */
export type CacheShape = { readonly numRows: number; readonly cacheTokens: number };
/** What is read (each (B, 1)) and what stays on the device. */
export type ResidentGraph = { readonly read: DecodeOutputs; readonly kept: DecodeOutputs };
export type PromptShape = CacheShape & { readonly numPrompts: number; readonly promptTokens: number };

/**
 * Reads prompts (P, T), as `prefillGraph`, and begins rows with them: their keys and values go into the cache, and their
 * first tokens are chosen. Feeds beside: `isStarting` (B, 1), 1 for rows that begin; `source` (B) i64, the prompt of each;
 * the cache, unless these are the first prompts; what `choiceGraph` reads.
 */
export function startGraph(
  config: PolicyConfig,
  shape: PromptShape,
  kind: ChoiceKind & { isFirst: boolean },
): ResidentGraph {
  const { numPrompts, promptTokens, numRows, cacheTokens } = shape;
  const { logits, ...fresh } = prefillGraph(config, numPrompts, promptTokens);
  if (!logits) throw new Error("a prefill without logits");
  const source = input("source", [numRows], "i64");
  const isStarting = greater(reshape(input("isStarting", [numRows, 1]), [numRows, 1, 1, 1]), 0);
  const seat = (name: string, tensor: Tensor): Tensor => {
    const begun = pad(gather(tensor, source), 2, [0, cacheTokens - promptTokens]);
    return where(isStarting, begun, kind.isFirst ? fill(0, [1]) : input(name, begun.shape));
  };
  return { read: choiceGraph(gather(logits, source), kind), kept: mapNames(fresh, seat) };
}

/**
 * One more token per row, as `stepGraph`: it is chosen, and the newest one's keys and values go into the cache. Feeds:
 * `tokens`, `tokenPositions` (B, 1) i64, `lengths` (B, 1) the same positions as numbers, the cache, what `choiceGraph` reads.
 */
export function continueGraph(
  config: PolicyConfig,
  { numRows, cacheTokens }: CacheShape,
  kind: ChoiceKind,
): ResidentGraph {
  const lengths = reshape(input("lengths", [numRows, 1]), [numRows, 1, 1, 1]);
  const along = (shape: readonly number[]): Tensor =>
    constant(
      Float32Array.from({ length: cacheTokens }, (_, i) => i),
      shape,
    );
  const places = along([1, 1, 1, cacheTokens]);
  const mask = where(greater(lengths, places), 0, MASKED);
  const { logits, ...fresh } = stepThrough(config, mask);
  if (!logits) throw new Error("a step without logits");
  const rows = along([1, 1, cacheTokens, 1]);
  const isNewest = greater(mul(isGreater(add(rows, 0.5), lengths), isGreater(add(lengths, 0.5), rows)), 0);
  const { numKeyValueHeads, headWidth } = dimensionsOf(config);
  const extend = (name: string, tensor: Tensor): Tensor =>
    where(isNewest, tensor, input(name, [numRows, numKeyValueHeads, cacheTokens, headWidth]));
  return { read: choiceGraph(logits, kind), kept: mapNames(fresh, extend) };
}

/** The rows `seats` (B') i64 of the cache alone. */
export function compactGraph(config: PolicyConfig, { numRows, cacheTokens }: CacheShape, fewer: number): ResidentGraph {
  const { numLayers, numKeyValueHeads, headWidth } = dimensionsOf(config);
  const seats = input("seats", [fewer], "i64");
  const names = Array.from({ length: numLayers }, (_, i) => [`keys${i}`, `values${i}`]).flat();
  const shape = [numRows, numKeyValueHeads, cacheTokens, headWidth];
  return { read: {}, kept: Object.fromEntries(names.map((name) => [name, gather(input(name, shape), seats)])) };
}

function mapNames(tensors: DecodeOutputs, apply: (name: string, tensor: Tensor) => Tensor): DecodeOutputs {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, apply(name, tensor)]));
}
