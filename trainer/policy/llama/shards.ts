import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeCheckpoint, type PendingTensors } from "../checkpoint.ts";
import { numElements } from "#trainer/graph/shape.ts";
import { writeParts } from "../writeParts.ts";
import { indexFile, singleFile } from "./safetensors.ts";

/** Default size of a shard in transformers. */
export const usualShardBytes = 5e9;

/** Writes a model's weights in single precision: one file, or several with an index where they exceed a shard. */
export function writeWeights(folder: string, tensors: PendingTensors, shardBytes: number): void {
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
