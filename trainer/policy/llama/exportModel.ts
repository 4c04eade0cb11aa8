import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "#trainer/onnx/encode.ts";
import { encodeCheckpoint, type PendingTensors } from "../checkpoint.ts";
import type { LlamaConfig, LoraConfig } from "../config.ts";
import type { Parameters } from "../parameters.ts";
import { writeParts } from "../writeParts.ts";
import { toAdapter } from "./lora.ts";
import { modelFiles } from "./modelFiles.ts";
import { onnxGraph } from "./onnxGraph.ts";
import { openTensorFiles, indexFile, singleFile } from "./safetensors.ts";
import { numElements } from "#trainer/graph/shape.ts";
import { toTensors, type ValuesOf } from "./weights.ts";

/** Folders of the base model and of the run. Weights larger than a shard are split into several files. */
type Places = { from: string; to: string; shardBytes?: number };

/**
 * Writes the folder `model`, which transformers loads: weights in single precision, with configuration and tokenizer of
 * the base model. Also writes `model.onnx`, see `onnxGraph`, which refers to the same weight files.
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

/** Writes the folder `adapter`, which PEFT loads onto the base model. */
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

/** Writes a folder completely or not at all. */
function writeFolder(folder: string, write: (draft: string) => void): void {
  const draft = `${folder}.draft`;
  try {
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    write(draft);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } catch (error) {
    // Removes a partial draft of several megabytes, left by a full disk.
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Default size of a shard in transformers. */
const usualShardBytes = 5e9;

/** Writes a model's weights in single precision: one file, or several with an index where they exceed a shard. */
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

/** Splits in order, each shard as full as possible. A tensor larger than a shard has its own. */
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
