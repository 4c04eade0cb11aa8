import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { widenBits, type HalfFormat } from "#trainer/graph/half.ts";
import { numElements } from "#trainer/graph/shape.ts";
import type { Shape } from "#trainer/graph/tensor.ts";

const bytesPerValue = { F32: 4, F16: 2, BF16: 2 } as const;
const halfFormats = { F16: "f16", BF16: "bf16" } as const;
const count = z.int().min(0);
const Entry = z.object({
  dtype: z.string(),
  shape: z.array(count),
  data_offsets: z.tuple([count, count]),
});
type Entry = z.infer<typeof Entry>;
type Stored = { dtype: keyof typeof bytesPerValue; bytes: Uint8Array<ArrayBuffer> };
/** A header is text about tensors: more than this is something else. */
const maxHeaderBytes = 100e6;

/** Where a model's tensors lie, in one file or several. */
export type TensorFiles = {
  readonly names: readonly string[];
  /** As single precision. Throws unless it is there, of this shape, and of a type that we read. */
  readonly read: (name: string, shape: Shape) => Float32Array<ArrayBuffer>;
  /** The bits of one that has 16 of them a value, as `formatOf` says. */
  readonly readBits: (name: string, shape: Shape) => Uint16Array<ArrayBuffer>;
  /** Undefined for a tensor that is not there, or of another type than these. */
  readonly formatOf: (name: string) => "f32" | HalfFormat | undefined;
  readonly close: () => void;
};

export const singleFile = "model.safetensors";
export const indexFile = "model.safetensors.index.json";

/** Opens the weights of a model's folder: `model.safetensors`, or the files that its index names. */
export function openTensorFiles(folder: string): TensorFiles {
  const files = listWeightFiles(folder).map((name) => openFile(join(folder, name)));
  const places = new Map(files.flatMap((file) => [...file.entries].map(([name, entry]) => [name, { file, entry }])));
  const readBytes = (name: string, shape: Shape): Stored => {
    const place = places.get(name);
    if (!place) throw new Error(`${folder}: no tensor "${name}", expected with shape (${shape.join(", ")})`);
    const { file, entry } = place;
    if (entry.shape.join() !== shape.join()) {
      const found = `(${entry.shape.join(", ")})`;
      throw new Error(`${file.path}: tensor "${name}" has shape ${found}, expected (${shape.join(", ")})`);
    }
    return file.read(name, entry);
  };
  return {
    names: [...places.keys()],
    read(name, shape) {
      const { dtype, bytes } = readBytes(name, shape);
      return toFloats(bytes, dtype);
    },
    readBits(name, shape) {
      const { dtype, bytes } = readBytes(name, shape);
      if (dtype === "F32") throw new Error(`${folder}: tensor "${name}" is F32, expected are 16 bits a value`);
      return new Uint16Array(bytes.buffer);
    },
    formatOf(name) {
      const dtype = places.get(name)?.entry.dtype;
      if (dtype === "F32") return "f32";
      return dtype === "F16" || dtype === "BF16" ? halfFormats[dtype] : undefined;
    },
    close: () => {
      for (const file of files) file.close();
    },
  };
}

/** The names of the files that hold a model's weights. */
export function listWeightFiles(folder: string): string[] {
  if (existsSync(join(folder, singleFile))) return [singleFile];
  const path = join(folder, indexFile);
  if (!existsSync(path)) throw new Error(`${folder} has neither ${singleFile} nor ${indexFile}`);
  return readIndex(path);
}

/** The files that an index names, without folders before them. */
export function readIndex(path: string): string[] {
  const Index = z.object({ weight_map: z.record(z.string(), z.string().regex(/^[^/\\]+$/)) });
  const result = Index.safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (!result.success) throw new Error(`${path} cannot be read\n${z.prettifyError(result.error)}`);
  return [...new Set(Object.values(result.data.weight_map))];
}

function openFile(path: string) {
  const handle = openSync(path, "r");
  try {
    const { size } = fstatSync(handle);
    const bytes = (length: number, at: number): Uint8Array<ArrayBuffer> => {
      const read = new Uint8Array(length);
      for (let done = 0; done < length;) {
        const more = readSync(handle, read, done, length - done, at + done);
        if (more === 0) throw new Error(`${path} ends after ${at + done} bytes, ${at + length} were expected`);
        done += more;
      }
      return read;
    };
    const headerBytes = Number(new DataView(bytes(8, 0).buffer).getBigUint64(0, true));
    if (headerBytes > Math.min(maxHeaderBytes, size - 8)) {
      throw new Error(`${path} is no safetensors file: a header of ${headerBytes} bytes in ${size}`);
    }
    const entries = parseHeader(new TextDecoder().decode(bytes(headerBytes, 8)), path);
    return {
      path,
      entries,
      read(name: string, { dtype, shape, data_offsets: [start, end] }: Entry): Stored {
        const isKnown = dtype === "F32" || dtype === "F16" || dtype === "BF16";
        if (!isKnown) throw new Error(`${path}: tensor "${name}" is ${dtype}; read are F32, F16 and BF16`);
        const expected = bytesPerValue[dtype] * numElements(shape);
        if (end - start !== expected) {
          throw new Error(`${path}: tensor "${name}" has ${end - start} bytes, its shape takes ${expected}`);
        }
        return { dtype, bytes: bytes(expected, 8 + headerBytes + start) };
      },
      close: () => closeSync(handle),
    };
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

function parseHeader(text: string, path: string): Map<string, Entry> {
  const Header = z.record(z.string(), z.unknown());
  const entries = Object.entries(Header.parse(JSON.parse(text))).filter(([name]) => name !== "__metadata__");
  return new Map(
    entries.map(([name, entry]) => {
      const result = Entry.safeParse(entry);
      if (!result.success)
        throw new Error(`${path}: tensor "${name}" cannot be read\n${z.prettifyError(result.error)}`);
      return [name, result.data];
    }),
  );
}

/** Little-endian values as single precision. Exact: both half formats are among its values. */
function toFloats(bytes: Uint8Array<ArrayBuffer>, dtype: keyof typeof bytesPerValue): Float32Array<ArrayBuffer> {
  if (dtype === "F32") return new Float32Array(bytes.buffer);
  return widenBits(new Uint16Array(bytes.buffer), halfFormats[dtype]);
}
