import { numElements } from "#trainer/graph/shape.ts";
import type { Shape } from "#trainer/graph/tensor.ts";

/** A named array with its shape, as a checkpoint holds it. */
type StoredTensor = { readonly shape: Shape; readonly values: Float32Array };
export type Checkpoint = {
  readonly tensors: Readonly<Record<string, StoredTensor>>;
  readonly metadata: Readonly<Record<string, string>>;
};

/**
 * The bytes of a checkpoint in the safetensors format: length of the header (u64), the header as JSON padded with
 * spaces to a multiple of 8, then the arrays as little-endian F32, one after the other.
 */
export function encodeCheckpoint({ tensors, metadata }: Checkpoint): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const [name, { shape, values }] of Object.entries(tensors)) {
    if (name === "__metadata__") throw new RangeError('no tensor can be named "__metadata__"');
    if (values.length !== numElements(shape)) {
      throw new RangeError(`tensor "${name}" has ${values.length} values for shape (${shape.join(", ")})`);
    }
    header[name] = { dtype: "F32", shape, data_offsets: [end, (end += values.byteLength)] };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const dataStart = 8 + 8 * Math.ceil(text.length / 8);
  const bytes = new Uint8Array(dataStart + end).fill(0x20, 8 + text.length, dataStart);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(dataStart - 8), true);
  bytes.set(text, 8);
  let offset = dataStart;
  for (const { values } of Object.values(tensors)) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), offset);
    offset += values.byteLength;
  }
  return bytes;
}

/** Reads a safetensors file of F32 tensors, from anyone: every length and offset is checked. */
export function decodeCheckpoint(bytes: Uint8Array): Checkpoint {
  const { header, data } = splitFile(bytes);
  const tensors: Record<string, StoredTensor> = {};
  for (const [name, entry] of Object.entries(header)) {
    if (name !== "__metadata__") tensors[name] = readTensor(name, entry, data);
  }
  const metadata = isRecord(header["__metadata__"]) ? header["__metadata__"] : {};
  return {
    tensors,
    metadata: Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, String(value)])),
  };
}

function splitFile(bytes: Uint8Array): { header: Record<string, unknown>; data: Uint8Array } {
  if (bytes.length < 8) throw new RangeError(`not a safetensors file: ${bytes.length} bytes`);
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (size > bytes.length - 8)
    throw new RangeError(`torn safetensors file: header of ${size} bytes in ${bytes.length}`);
  const header: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size)));
  if (!isRecord(header)) throw new TypeError("not a safetensors file: the header is no object");
  return { header, data: bytes.subarray(8 + size) };
}

function readTensor(name: string, entry: unknown, data: Uint8Array): StoredTensor {
  if (!isRecord(entry) || entry["dtype"] !== "F32") throw new TypeError(`tensor "${name}" is not F32`);
  const shape = toCounts(entry["shape"]);
  const [start, end] = toCounts(entry["data_offsets"]) ?? [];
  if (!shape || start === undefined || end === undefined || end - start !== 4 * numElements(shape)) {
    throw new RangeError(`tensor "${name}": shape and offsets do not fit`);
  }
  if (end > data.length)
    throw new RangeError(`torn safetensors file: tensor "${name}" ends at ${end} of ${data.length}`);
  // A copy by hand: what a file was read into is a Buffer, whose `slice` is a view of all of it.
  return { shape, values: new Float32Array(Uint8Array.from(data.subarray(start, end)).buffer) };
}

function toCounts(value: unknown): number[] | null {
  const isCount = (x: unknown): x is number => typeof x === "number" && Number.isSafeInteger(x) && x >= 0;
  return Array.isArray(value) && value.every(isCount) ? value : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
