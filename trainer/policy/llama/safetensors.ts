import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { type HalfFormat, type Shape, widenBits } from "#trainer/graph/tensor.ts";
import type { StoredPlace } from "#trainer/onnx/model.ts";
import { openTensorFile, readSmallJson, type StoredType, type TensorFile } from "../tensorFile.ts";

const halfFormats = { F16: "f16", BF16: "bf16" } as const;

export type TensorFiles = {
  readonly names: readonly string[];
  /** Reads a tensor in single precision. Throws unless it exists with this shape and a supported element type. */
  readonly read: (name: string, shape: Shape) => Float32Array<ArrayBuffer>;
  /** Reads the bits of a 16-bit tensor; `formatOf` tells their format. */
  readonly readBits: (name: string, shape: Shape) => Uint16Array<ArrayBuffer>;
  /** Returns the element type of a tensor; undefined if the tensor is missing or of another type. */
  readonly formatOf: (name: string) => "f32" | HalfFormat | undefined;
  /** Returns the position of each tensor's values in the files of the folder. */
  readonly places: () => ReadonlyMap<string, StoredPlace>;
  readonly close: () => void;
};

export const singleFile = "model.safetensors";
export const indexFile = "model.safetensors.index.json";

/** Opens the weight files of a model's folder: `model.safetensors`, or the files that its index names. */
export function openTensorFiles(folder: string): TensorFiles {
  const files = openAll(listWeightFiles(folder).map((name) => join(folder, name)));
  const places = new Map(files.flatMap((file) => [...file.entries].map(([name, entry]) => [name, { file, entry }])));
  const readBytes = (name: string, shape: Shape): ReturnType<TensorFile["read"]> => {
    const place = places.get(name);
    if (!place) throw new Error(`${folder}: no tensor "${name}", expected with shape (${shape.join(", ")})`);
    const { file, entry } = place;
    if (entry.shape.join() !== shape.join()) {
      const found = `(${entry.shape.join(", ")})`;
      throw new Error(`${file.name}: tensor "${name}" has shape ${found}, expected (${shape.join(", ")})`);
    }
    return file.read(name);
  };
  return {
    names: [...places.keys()],
    read(name, shape) {
      const { dtype, bytes } = readBytes(name, shape);
      return toFloats(bytes, dtype);
    },
    readBits(name, shape) {
      const { dtype, bytes } = readBytes(name, shape);
      if (dtype === "F32") throw new Error(`${folder}: tensor "${name}" is F32, expected 16 bits per value`);
      return new Uint16Array(bytes.buffer);
    },
    formatOf(name) {
      const dtype = places.get(name)?.entry.dtype;
      if (dtype === "F32") return "f32";
      return dtype === "F16" || dtype === "BF16" ? halfFormats[dtype] : undefined;
    },
    places: () =>
      new Map(
        [...places].map(([name, { file }]) => {
          const { offset, bytes } = file.placeOf(name);
          return [name, { file: basename(file.name), offset, bytes }];
        }),
      ),
    close: () => {
      for (const file of files) file.close();
    },
  };
}

/** Opens all weight files. If one cannot be opened, closes those already open and throws. */
function openAll(paths: readonly string[]): TensorFile[] {
  const files: TensorFile[] = [];
  try {
    for (const path of paths) files.push(openTensorFile(path));
    return files;
  } catch (error) {
    for (const file of files) file.close();
    throw error;
  }
}

export function listWeightFiles(folder: string): string[] {
  if (existsSync(join(folder, singleFile))) return [singleFile];
  const path = join(folder, indexFile);
  if (!existsSync(path)) throw new Error(`${folder} has neither ${singleFile} nor ${indexFile}`);
  return readIndex(path);
}

/** Returns the names of the weight files in a model's index; names with folders are rejected. */
export function readIndex(path: string): string[] {
  const Index = z.object({ weight_map: z.record(z.string(), z.string().regex(/^[^/\\]+$/)) });
  const result = Index.safeParse(readSmallJson(path));
  if (!result.success) throw new Error(`${path} cannot be read\n${z.prettifyError(result.error)}`);
  return [...new Set(Object.values(result.data.weight_map))];
}

/** Little-endian values in single precision, which represents both 16-bit formats exactly. */
function toFloats(bytes: Uint8Array<ArrayBuffer>, dtype: StoredType): Float32Array<ArrayBuffer> {
  if (dtype === "F32") return new Float32Array(bytes.buffer);
  return widenBits(new Uint16Array(bytes.buffer), halfFormats[dtype]);
}

/** Names of files besides weights that are read or copied from a model's folder. No model has to have all of them. */
export const modelFiles = [
  "config.json",
  "generation_config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "special_tokens_map.json",
  "chat_template.jinja",
] as const;
