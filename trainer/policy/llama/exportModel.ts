import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  add,
  broadcastTo,
  concat,
  constant,
  cumulativeSum,
  gather,
  greater,
  input,
  reshape,
  scalar,
  slice,
  transpose,
  where,
} from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { encode } from "#trainer/onnx/encode.ts";
import type { FreeAxis } from "#trainer/onnx/model.ts";
import { encodeCheckpoint, type PendingTensors } from "../checkpoint.ts";
import type { LlamaConfig, LoraConfig } from "../config.ts";
import { attend, joinHeads, MASKED } from "../heads.ts";
import type { Parameters, ParameterTensors } from "../parameters.ts";
import { toLogits } from "../transformer.ts";
import { writeParts } from "../tensorFile.ts";
import { toAdapter } from "./lora.ts";
import { indexFile, modelFiles, openTensorFiles, singleFile } from "./safetensors.ts";
import { llamaPieces } from "./pieces.ts";
import { numElements } from "#trainer/graph/shape.ts";
import { llamaShapes } from "./shapes.ts";
import { isTurned, tensorName, toTensors, type ValuesOf } from "./weights.ts";

/** Folders of base model (`from`) and export (`to`). Weights above `shardBytes` are split into several files. */
type Places = { from: string; to: string; shardBytes?: number };

/**
 * Exports a policy in Hugging Face format to the folder `model`: weights in single precision, with configuration and
 * tokenizer of the base model. Also writes `model.onnx`, which refers to the same weight files.
 */
export function exportModel(places: Places, config: LlamaConfig, values: ValuesOf): void {
  const { from, to, shardBytes = usualShardBytes } = places;
  writeFolder(join(to, "model"), (draft) => {
    writeWeights(draft, toTensors(config, values), shardBytes);
    const { torch_dtype: _, ...own } = JSON.parse(readFileSync(join(from, "config.json"), "utf8"));
    writeFileSync(join(draft, "config.json"), `${JSON.stringify({ ...own, dtype: "float32" }, null, 2)}\n`);
    writeOnnx(draft, config);
    for (const name of modelFiles) {
      if (name !== "config.json" && existsSync(join(from, name))) copyFileSync(join(from, name), join(draft, name));
    }
  });
}

function writeOnnx(folder: string, config: LlamaConfig): void {
  const files = openTensorFiles(folder);
  try {
    const { outputs, freeAxes } = onnxGraph(config);
    const bytes = encode(outputs, { freeAxes, stored: files.places(), toOutput: (name) => name });
    writeFileSync(join(folder, "model.onnx"), bytes);
  } finally {
    files.close();
  }
}

/** Exports LoRA adapters to the folder `adapter`, which the PEFT library loads onto the base model. */
export function exportAdapter(
  { base, to }: { base: { name: string; revision?: string }; to: string },
  config: LlamaConfig & { lora: LoraConfig },
  adapters: Parameters,
): void {
  writeFolder(join(to, "adapter"), (draft) => {
    const { tensors, settings } = toAdapter(config, adapters, base);
    const { parts } = encodeCheckpoint({ tensors, metadata: { format: "pt" } });
    writeParts(join(draft, "adapter_model.safetensors"), parts());
    writeFileSync(join(draft, "adapter_config.json"), `${JSON.stringify(settings, null, 2)}\n`);
  });
}

/** Writes a folder completely or not at all: `write` fills a draft, which is then renamed. */
function writeFolder(folder: string, write: (draft: string) => void): void {
  const draft = `${folder}.draft`;
  try {
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    write(draft);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } catch (error) {
    // The write may have failed on a full disk, so the partial draft is removed.
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Default maximum size of a weight file (shard) in transformers, in bytes. */
const usualShardBytes = 5e9;

/** Writes one file or, above `shardBytes`, several with an index, in single precision. */
function writeWeights(folder: string, tensors: PendingTensors, shardBytes: number): void {
  const shards = splitShards(tensors, shardBytes);
  const names = shards.map((_, i) => (shards.length === 1 ? singleFile : shardName(i, shards.length)));
  for (const [i, name] of names.entries()) {
    const { parts } = encodeCheckpoint({ tensors: shards[i] ?? {}, metadata: { format: "pt" } });
    writeParts(join(folder, name), parts());
  }
  if (shards.length === 1) return;
  const places = shards.flatMap((shard, i) => Object.keys(shard).map((tensor) => [tensor, names[i]]));
  const index = { metadata: { total_size: bytesOf(tensors) }, weight_map: Object.fromEntries(places) };
  writeFileSync(join(folder, indexFile), `${JSON.stringify(index, null, 2)}\n`);
}

/** Splits tensors in order into shards of at most `shardBytes`. A larger tensor gets a file of its own. */
function splitShards(tensors: PendingTensors, shardBytes: number): PendingTensors[] {
  const shards: Record<string, PendingTensors[string]>[] = [];
  let room = 0;
  for (const [name, tensor] of Object.entries(tensors)) {
    const numBytes = 4 * numElements(tensor.shape);
    if (shards.length === 0 || numBytes > room) {
      shards.push({});
      room = shardBytes;
    }
    Object.assign(shards.at(-1) ?? {}, { [name]: tensor });
    room -= numBytes;
  }
  return shards;
}

function shardName(i: number, numShards: number): string {
  const digits = (count: number): string => String(count).padStart(5, "0");
  return `model-${digits(i + 1)}-of-${digits(numShards)}.safetensors`;
}

function bytesOf(tensors: PendingTensors): number {
  return Object.values(tensors).reduce((total, { shape }) => total + 4 * numElements(shape), 0);
}

/**
 * Builds the ONNX graph that text generation programs expect, with the names of Hugging Face's libraries. Inputs:
 * `input_ids` and `position_ids` (B, T); `attention_mask` (B, P + T), 0 at masked tokens; keys and values of the P
 * previous tokens, `past_key_values.0.key`, … (B, KV, P, headWidth). Outputs: `logits` (B, T, V) and `present.0.key`,
 * … (B, KV, P + T, headWidth). Weights are also inputs, with the names of the tensors in the model's files. B, T and
 * P are dynamic.
 */
function onnxGraph(own: LlamaConfig): {
  outputs: Readonly<Record<string, Tensor>>;
  freeAxes: readonly FreeAxis[];
} {
  // The graph accepts texts up to the model's maximum length, beyond the maximum length in training.
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

/** Parameters as graph tensors, transposed from the stored shape (outputs, inputs). */
function weightsOf(config: LlamaConfig): ParameterTensors {
  return Object.fromEntries(
    Object.entries(llamaShapes(config)).map(([name, shape]) => [
      name,
      isTurned(name, shape) ? transpose(input(tensorName(name), shape.toReversed())) : input(tensorName(name), shape),
    ]),
  );
}

/** Attention mask (B, 1, T, P + T): 0 where attention is allowed, else MASKED or lower. */
function maskOf(attended: Tensor, past: number): Tensor {
  const [batch = 0, all = 0] = attended.shape;
  // Constants cannot have dynamic axes, so the positions 1, 2, 3, … are computed by a cumulative sum.
  const places = cumulativeSum(broadcastTo(scalar(1), [1, all]));
  const own = reshape(slice(places, 1, [past, all]), [all - past, 1]);
  const causal = where(greater(places, own), MASKED, 0);
  const padding = gather(constant([MASKED, 0], [2]), attended);
  return add(reshape(padding, [batch, 1, 1, all]), causal);
}

/**
 * Placeholder sizes for the dynamic axes: batch, tokens, past tokens and their sum. Each has a prime factor that
 * divides no size of the model, so that it can be recognised in a product of sizes.
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
