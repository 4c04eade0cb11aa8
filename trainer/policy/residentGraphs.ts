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

/** A cache of B rows and S tokens, (B, KV, S, headWidth) per layer. */
export type CacheShape = { readonly numRows: number; readonly cacheTokens: number };
/** Outputs that are read back (each (B, 1)), and those that stay on the device. */
export type ResidentGraph = { readonly read: DecodeOutputs; readonly kept: DecodeOutputs };
export type PromptShape = CacheShape & { readonly numPrompts: number; readonly promptTokens: number };

/**
 * Reads prompts (P, T) as `prefillGraph` does, and starts rows with them: their keys and values enter the cache, and
 * their first tokens are chosen. Other feeds: `isStarting` (B, 1), 1 for starting rows; `source` (B) i64, each row's
 * prompt; the cache, unless these are the first prompts; the feeds of `choiceGraph`.
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
 * Decodes one more token per row as `stepGraph` does: chooses it, and adds the newest one's keys and values to the
 * cache. Feeds: `tokens`, `tokenPositions` (B, 1) i64, `lengths` (B, 1) the same as floats, the cache, and those of
 * `choiceGraph`.
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

/** Keeps only the rows `seats` (B') i64 of the cache. */
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
