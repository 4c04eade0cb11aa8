import { add, broadcastTo, concat, constant, cumulativeSum, gather, greater, input } from "#trainer/graph/ops.ts";
import { reshape, scalar, slice, transpose, where } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { FreeAxis } from "#trainer/onnx/model.ts";
import type { LlamaConfig } from "../config.ts";
import { attend, joinHeads, MASKED } from "../heads.ts";
import type { ParameterTensors } from "../parameters.ts";
import { toLogits } from "../transformer.ts";
import { llamaPieces } from "./pieces.ts";
import { llamaShapes } from "./shapes.ts";
import { isTurned, tensorName } from "./weights.ts";

/**
 * A model in the ONNX form that text generation programs expect, with the names of Hugging Face's libraries. Inputs:
 * `input_ids`, `position_ids` (B, T), `attention_mask` (B, P + T), 0 at masked tokens, and keys and values of the P
 * previous tokens, `past_key_values.0.key`, … (B, KV, P, headWidth). Outputs: `logits` (B, T, V) and `present.0.key`, …
 * (B, KV, P + T, headWidth). Weights are inputs too, named as the tensors of the model's files. B, T and P are dynamic.
 */
export function onnxGraph(own: LlamaConfig): {
  outputs: Readonly<Record<string, Tensor>>;
  freeAxes: readonly FreeAxis[];
} {
  // Exports all positions of the model, not only the training context.
  const config = { ...own, contextTokens: own.architecture.maxTokens };
  const parameters = weightsOf(config);
  const network = { parameters, config };
  const { embed, project, output, feedForward } = llamaPieces(network);
  const { numLayers, numKeyValueHeads, headWidth } = config.architecture;
  const { batch, tokens, past, all } = markersFor(config);
  const ids = input("input_ids", [batch, tokens], "i64");
  const positions = input("position_ids", [batch, tokens], "i64");
  const mask = maskOf(input("attention_mask", [batch, all], "i64"), past);
  const present = new Map<string, Tensor>();
  const extend = (layer: number, kind: "key" | "value", fresh: Tensor): Tensor => {
    const cache = input(`past_key_values.${layer}.${kind}`, [batch, numKeyValueHeads, past, headWidth]);
    const extended = concat([cache, fresh], 2);
    present.set(`present.${layer}.${kind}`, extended);
    return extended;
  };
  let x = embed(ids);
  for (let i = 0; i < numLayers; i++) {
    const { q, k, v } = project(x, i, { positions });
    const attended = attend({ q, k: extend(i, "key", k), v: extend(i, "value", v) }, mask);
    x = add(x, output(joinHeads(attended), i));
    x = add(x, feedForward(x, i));
  }
  return {
    outputs: { logits: toLogits(network, x), ...Object.fromEntries(present) },
    freeAxes: [
      { name: "all_tokens", marker: all, of: ["attention_mask", 1] },
      { name: "past_tokens", marker: past, of: ["past_key_values.0.key", 2] },
      { name: "tokens", marker: tokens, of: ["input_ids", 1] },
      { name: "batch", marker: batch, of: ["input_ids", 0] },
    ],
  };
}

/** Weights as stored, (outputs, inputs). */
function weightsOf(config: LlamaConfig): ParameterTensors {
  return Object.fromEntries(
    Object.entries(llamaShapes(config)).map(([name, shape]) => [
      name,
      isTurned(name, shape) ? transpose(input(tensorName(name), shape.toReversed())) : input(tensorName(name), shape),
    ]),
  );
}

/** (B, 1, T, P + T): 0 where attention is allowed, else MASKED or lower. */
function maskOf(attended: Tensor, past: number): Tensor {
  const [batch = 0, all = 0] = attended.shape;
  // Dynamic axes have no constants: the positions 1, 2, 3, … are computed by a cumulative sum.
  const places = cumulativeSum(broadcastTo(scalar(1), [1, all]));
  const own = reshape(slice(places, 1, [past, all]), [all - past, 1]);
  const causal = where(greater(places, own), MASKED, 0);
  const padding = gather(constant([MASKED, 0], [2]), attended);
  return add(reshape(padding, [batch, 1, 1, all]), causal);
}

/**
 * Placeholder sizes for batch, tokens, past tokens and their sum. Each has a prime factor that divides no size of the
 * model, by which the size is recognised inside products.
 */
function markersFor({ vocabularySize, contextTokens, architecture }: LlamaConfig) {
  const sizes = [vocabularySize, contextTokens, ...Object.values(architecture).filter((x) => typeof x === "number")];
  const isOwn = (prime: number): boolean => sizes.every((size) => size % prime !== 0);
  const primes = Array.from({ length: 3000 }, (_, i) => 1009 + 2 * i).filter((x) => isPrime(x) && isOwn(x));
  for (const tokens of primes) {
    for (const past of primes) {
      const half = (tokens + past) / 2;
      const batch = primes.find((prime) => prime !== tokens && prime !== past && prime !== half);
      if (past !== tokens && isPrime(half) && isOwn(half) && batch !== undefined) {
        return { batch, tokens, past, all: tokens + past };
      }
    }
  }
  throw new RangeError("a model whose sizes have every prime factor");
}

function isPrime(x: number): boolean {
  for (let i = 2; i * i <= x; i++) if (x % i === 0) return false;
  return x > 1;
}
