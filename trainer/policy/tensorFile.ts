import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, statSync, writeSync } from "node:fs";
import { z } from "zod";
import { numElements } from "#trainer/graph/shape.ts";

const bytesPerValue = { F32: 4, F16: 2, BF16: 2 } as const;
export type StoredType = keyof typeof bytesPerValue;
const count = z.int().min(0);
const Entry = z.object({
  dtype: z.string(),
  shape: z.array(count),
  data_offsets: z.tuple([count, count]),
});
type Entry = z.infer<typeof Entry>;
/** Maximum length of a safetensors header, which lists the file's tensors as JSON; a longer header is rejected. */
const maxHeaderBytes = 100e6;
/** Maximum number of bytes read or written in one call, because Node.js does not allow 2 GiB. */
export const usualPieceBytes = 2 ** 30;

/** Open safetensors file, whose tensors are read one at a time. */
export type TensorFile = {
  /** Name of the file in error messages. */
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly entries: ReadonlyMap<string, Entry>;
  /** Reads a tensor's element type and bytes. Throws unless it is complete and of a supported type. */
  readonly read: (tensor: string) => { dtype: StoredType; bytes: Uint8Array<ArrayBuffer> };
  /** Returns the position of a tensor's bytes in the file. Throws as `read` does. */
  readonly placeOf: (tensor: string) => { dtype: StoredType; offset: number; bytes: number };
  readonly close: () => void;
};

/** Opens a safetensors file from an untrusted source. Lengths and offsets are checked before anything is read. */
export function openTensorFile(path: string, { name = path, pieceBytes = usualPieceBytes } = {}): TensorFile {
  const handle = openSync(path, "r");
  try {
    const { size } = fstatSync(handle);
    const read = (length: number, from: number): Uint8Array<ArrayBuffer> => {
      if (from + length > size) throw new Error(`${name}: it ends after ${size} bytes, ${from + length} were expected`);
      return readRange(handle, { length, from, pieceBytes });
    };
    const headerBytes = Number(new DataView(read(8, 0).buffer).getBigUint64(0, true));
    if (headerBytes > Math.min(maxHeaderBytes, size - 8)) {
      throw new Error(`${name}: it is not a safetensors file, with a header of ${headerBytes} bytes in ${size}`);
    }
    const { metadata, entries } = parseHeader(new TextDecoder().decode(read(headerBytes, 8)), name);
    const placeOf: TensorFile["placeOf"] = (tensor) => {
      const { dtype, start, length } = locate(entries.get(tensor), `${name}: tensor "${tensor}"`);
      return { dtype, offset: 8 + headerBytes + start, bytes: length };
    };
    return {
      name,
      metadata,
      entries,
      read(tensor) {
        const { dtype, offset, bytes } = placeOf(tensor);
        return { dtype, bytes: read(bytes, offset) };
      },
      placeOf,
      close: () => closeSync(handle),
    };
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

type Range = { length: number; from: number; pieceBytes: number };

function readRange(handle: number, { length, from, pieceBytes }: Range): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length;) {
    const more = readSync(handle, bytes, done, Math.min(pieceBytes, length - done), from + done);
    if (more === 0) throw new Error(`a file ended after ${from + done} bytes while it was read`);
    done += more;
  }
  return bytes;
}

function locate(entry: Entry | undefined, what: string): { dtype: StoredType; start: number; length: number } {
  if (!entry) throw new Error(`${what} is not there`);
  const { dtype, shape, data_offsets } = entry;
  const [start, end] = data_offsets;
  if (!isStoredType(dtype)) throw new Error(`${what} is ${dtype}; supported are F32, F16 and BF16`);
  const length = bytesPerValue[dtype] * numElements(shape);
  if (end - start !== length) throw new Error(`${what} has ${end - start} bytes, its shape needs ${length}`);
  return { dtype, start, length };
}

function isStoredType(dtype: string): dtype is StoredType {
  return Object.hasOwn(bytesPerValue, dtype);
}

function parseHeader(text: string, name: string): Pick<TensorFile, "metadata" | "entries"> {
  const { __metadata__: metadata, ...tensors } = parseObject(text, name);
  const entries = Object.entries(tensors).map(([tensor, entry]) => {
    const result = Entry.safeParse(entry);
    if (result.success) return [tensor, result.data] as const;
    throw new Error(`${name}: tensor "${tensor}" cannot be read\n${z.prettifyError(result.error)}`);
  });
  const words = z.record(z.string(), z.unknown()).safeParse(metadata).data ?? {};
  return {
    metadata: Object.fromEntries(Object.entries(words).map(([key, value]) => [key, String(value)])),
    entries: new Map(entries),
  };
}

function parseObject(text: string, name: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${name}: it is not a safetensors file, because its header is not a JSON object`, { cause });
  }
}

/** Writes a file part by part and flushes it to disk. After an error, the caller must remove the incomplete file. */
export function writeParts(path: string, parts: Iterable<Uint8Array>, pieceBytes = usualPieceBytes): void {
  const file = openSync(path, "w");
  try {
    for (const part of parts) {
      for (let at = 0; at < part.length;) at += writeSync(file, part, at, Math.min(pieceBytes, part.length - at));
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Maximum size of a JSON file beside a model's weights. The weight index of a model with 100,000 tensors has 10 MB. */
const maxBytes = 16 * 2 ** 20;

/** Checks the size first. Errors quote none of the content, because the path may point to a file with secrets. */
export function readSmallJson(path: string): unknown {
  try {
    return JSON.parse(readSmall(path));
  } catch (cause) {
    const why =
      cause instanceof SyntaxError ? "it is not JSON" : cause instanceof Error ? cause.message : String(cause);
    throw new Error(`cannot read ${path}: ${why}`, { cause });
  }
}

function readSmall(path: string): string {
  // The path must be a regular file, because reading a pipe, for example, could block.
  if (!statSync(path).isFile()) throw new Error("it is not a file");
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    if (size > maxBytes) throw new Error(`it has ${size} bytes, the limit is ${maxBytes}`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
