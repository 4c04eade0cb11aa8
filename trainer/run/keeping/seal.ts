import { basename } from "node:path";
import { crc32 } from "node:zlib";
import {
  encodeCheckpoint,
  readCheckpoint,
  type Checkpoint,
  type FileParts,
  type StoredTensors,
} from "#trainer/policy/checkpoint.ts";

/** Encodes a checkpoint with the hash of the run's specification and a checksum of the content. */
export function seal(
  tensors: StoredTensors,
  specHash: string,
  metadata: Readonly<Record<string, string>> = {},
): FileParts {
  return encodeCheckpoint({ tensors, metadata: { ...metadata, specHash, crc32: String(checksum(tensors)) } });
}

/** Reads a checkpoint. Throws if it is incomplete, belongs to another specification, or has a wrong checksum. */
export function readSealed(path: string, specHash: string): Checkpoint {
  const name = basename(path);
  const checkpoint = readCheckpoint(path, (metadata) => {
    if (metadata["specHash"] === specHash) return;
    throw new Error(`${name}: it belongs to spec ${metadata["specHash"]}, not ${specHash}`);
  });
  if (Number(checkpoint.metadata["crc32"]) !== checksum(checkpoint.tensors)) {
    throw new Error(`${name}: its content does not match its checksum`);
  }
  return checkpoint;
}

function checksum(tensors: StoredTensors): number {
  let sum = 0;
  for (const { values } of Object.values(tensors)) {
    sum = crc32(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), sum);
  }
  return sum;
}
