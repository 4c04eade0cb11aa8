import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { decodeCheckpoint, encodeCheckpoint, type Checkpoint } from "#trainer/policy/checkpoint.ts";

export type StoredTensors = Checkpoint["tensors"];

/** The bytes of a checkpoint that says which spec it belongs to and what its content adds up to. */
export function seal(
  tensors: StoredTensors,
  specHash: string,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  return encodeCheckpoint({ tensors, metadata: { ...metadata, specHash, crc32: String(checksum(tensors)) } });
}

/** Throws when it cannot be read whole, belongs to another spec, or does not add up. */
export function readSealed(path: string, specHash: string): Checkpoint {
  const checkpoint = decodeCheckpoint(readFileSync(path));
  const { metadata } = checkpoint;
  if (metadata["specHash"] !== specHash) throw new Error(`belongs to spec ${metadata["specHash"]}, not ${specHash}`);
  if (Number(metadata["crc32"]) !== checksum(checkpoint.tensors))
    throw new Error("its content does not match its checksum");
  return checkpoint;
}

function checksum(tensors: StoredTensors): number {
  let sum = 0;
  for (const { values } of Object.values(tensors)) {
    sum = crc32(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), sum);
  }
  return sum;
}
