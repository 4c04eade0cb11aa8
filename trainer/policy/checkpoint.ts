import { basename } from "node:path";
import { numElements } from "#trainer/graph/shape.ts";
import type { Shape } from "#trainer/graph/tensor.ts";
import { openTensorFile, type TensorFile } from "./tensorFile.ts";

type StoredTensor = { readonly shape: Shape; readonly values: Float32Array };
export type StoredTensors = Readonly<Record<string, StoredTensor>>;
type Metadata = Readonly<Record<string, string>>;
export type Checkpoint = { readonly tensors: StoredTensors; readonly metadata: Metadata };

/** Tensor to be written: its values, or a function that computes them when they are written, which saves memory. */
type PendingTensor = { readonly shape: Shape; readonly values: Float32Array | (() => Float32Array) };
export type PendingTensors = Readonly<Record<string, PendingTensor>>;

/** File content that is generated in parts, in order, so that memory never holds a second copy of the model. */
export type FileParts = { readonly numBytes: number; readonly parts: () => Iterable<Uint8Array> };

/**
 * Encodes a checkpoint in the safetensors format. The file has the length of the header (u64), the header as JSON,
 * padded with spaces to a multiple of 8, and the arrays as little-endian F32, one after the other.
 */
export function encodeCheckpoint(content: { tensors: PendingTensors; metadata: Metadata }): FileParts {
  const { header, numBytes } = layOut(content);
  return {
    numBytes,
    *parts() {
      yield header;
      for (const [name, { shape, values }] of Object.entries(content.tensors)) {
        const made = typeof values === "function" ? values() : values;
        if (made.length !== numElements(shape)) {
          throw new RangeError(`tensor "${name}" has ${made.length} values for shape (${shape.join(", ")})`);
        }
        yield new Uint8Array(made.buffer, made.byteOffset, made.byteLength);
      }
    },
  };
}

/** Returns the encoded header with the position of each array, and the length of the whole file in bytes. */
function layOut({ tensors, metadata }: { tensors: PendingTensors; metadata: Metadata }) {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const [name, { shape }] of Object.entries(tensors)) {
    if (name === "__metadata__") throw new RangeError('no tensor can be named "__metadata__"');
    header[name] = { dtype: "F32", shape, data_offsets: [end, (end += 4 * numElements(shape))] };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const dataStart = 8 + 8 * Math.ceil(text.length / 8);
  const bytes = new Uint8Array(dataStart).fill(0x20, 8 + text.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(dataStart - 8), true);
  bytes.set(text, 8);
  return { header: bytes, numBytes: dataStart + end };
}

/** Reads an untrusted safetensors file of F32 tensors. `check` first receives its metadata, and may throw. */
export function readCheckpoint(path: string, check: (metadata: Metadata) => void = () => {}): Checkpoint {
  const file = openTensorFile(path, { name: basename(path) });
  try {
    check(file.metadata);
    const tensors = [...file.entries].map(([name, { shape }]) => [name, { shape, values: readValues(file, name) }]);
    return { tensors: Object.fromEntries(tensors), metadata: file.metadata };
  } finally {
    file.close();
  }
}

function readValues(file: TensorFile, tensor: string): Float32Array {
  const { dtype, bytes } = file.read(tensor);
  if (dtype !== "F32") throw new TypeError(`${file.name}: tensor "${tensor}" is not F32`);
  return new Float32Array(bytes.buffer);
}
