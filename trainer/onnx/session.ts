import { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import { inputsFirst } from "#trainer/graph/backward.ts";
import type { Dtype, Node, Tensor } from "#trainer/graph/tensor.ts";
import { DeviceTensor, placeOfComputation } from "./deviceTensor.ts";
import { encode, outputName } from "./encode.ts";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { ortOptions, type OrtSettings } from "./options.ts";

/** Inputs by name: integers as Int32Array (converted) or BigInt64Array, 16-bit floats as Uint16Array. */
export type Feeds = Readonly<Record<string, Float32Array | Uint16Array | Int32Array | BigInt64Array | DeviceTensor>>;

/** Compiled graph. `run` reads the feeds without copying and returns newly allocated arrays. */
export type Session<Name extends string> = {
  readonly run: (feeds: Feeds) => Promise<Record<Name, Float32Array>>;
  readonly close: () => Promise<void>;
};

/** Compiled graph, some of whose outputs stay in device memory. */
export type ResidentSession<Name extends string, Kept extends string> = {
  /** `read` outputs are copied to this process; the caller must close `kept` ones, on the device. */
  readonly run: (feeds: Feeds) => Promise<{ read: Record<Name, Float32Array>; kept: Record<Kept, DeviceTensor> }>;
  readonly close: () => Promise<void>;
};

/** Number of bytes copied to and from the device, for execution providers other than the CPU. */
export type Traffic = { toDevice: number; fromDevice: number };

export type SessionOptions = {
  /** Execution provider of ONNX Runtime: "cpu" (default), "cuda" or "webgpu". */
  readonly executionProvider?: string;
  /** Folder of optimised CPU graphs, named by content hash and shared by all runs; undefined: no cache. */
  readonly cacheFolder?: string;
  /** Number of CPU threads of a pass; default 1. */
  readonly threads?: number;
  /** Inputs that are equal in every pass, such as frozen weights; the feeds of `run` take precedence. */
  readonly frozen?: () => Promise<Feeds>;
  /** If true, the session frees its working memory after each pass, which suits graphs with large activations. */
  readonly returnsMemory?: boolean;
  /** Counters to which all sessions that share this object add the bytes that they copy. */
  readonly traffic?: Traffic;
  /** Prefix of the file to which ONNX Runtime writes a profile of its operators. */
  readonly profileFilePrefix?: string;
};

type Graphs<Name extends string> = Readonly<Record<Name, Tensor>>;
const none: Graphs<string> = {};

/** Compiles f32 graphs, by output name, into one ONNX Runtime session. */
export async function makeSession<Name extends string>(
  outputs: Graphs<Name>,
  options: SessionOptions = {},
): Promise<Session<Name>> {
  const { run, close } = await makeResidentSession(outputs, none, options);
  return { run: async (feeds) => (await run(feeds)).read, close };
}

/** Also compiles outputs `kept` that stay on the device; the CPU provider cannot keep outputs. */
export async function makeResidentSession<Name extends string, Kept extends string>(
  read: Graphs<Name>,
  kept: Graphs<Kept>,
  options: SessionOptions,
): Promise<ResidentSession<Name, Kept>> {
  const outputs: Graphs<string> = { ...read, ...kept };
  const inputs = inputsFirst(Object.values(outputs)).filter((node) => node.kind === "input");
  const session = await compile(outputs, Object.keys(kept), options);
  const { traffic } = options;
  return {
    async run(changing) {
      const feeds = options.frozen ? { ...(await options.frozen()), ...changing } : changing;
      const fed = Object.fromEntries(inputs.map((node) => [node.attributes.name, toOrtTensor(node, feeds)]));
      const results = await session.run(fed);
      if (traffic) count(traffic, Object.values(fed), Object.values(results));
      return {
        read: mapValues(read, (_, name) => toFloats(results[outputName(name)], name)),
        kept: mapValues(kept, ({ shape }, name) => toDeviceTensor(results[outputName(name)], { name, shape })),
      };
    },
    close: async () => {
      if (options.profileFilePrefix) session.endProfiling();
      await session.release();
    },
  };
}

function compile(
  outputs: Graphs<string>,
  kept: readonly string[],
  { executionProvider: provider = "cpu", cacheFolder, profileFilePrefix, returnsMemory, threads }: SessionOptions,
): Promise<InferenceSession> {
  const bytes = encode(outputs, { dialect: provider === "cpu" ? "cpu" : "standard" });
  if (provider === "cpu" && cacheFolder && !profileFilePrefix)
    return createCached(bytes, cacheFolder, { returnsMemory, threads });
  const profiling = profileFilePrefix ? { enableProfiling: true, profileFilePrefix } : {};
  const preferredOutputLocation = Object.fromEntries(kept.map((name) => [outputName(name), "gpu-buffer" as const]));
  const residence = kept.length > 0 ? { preferredOutputLocation } : {};
  return InferenceSession.create(bytes, {
    ...ortOptions(provider, { returnsMemory, threads }),
    ...profiling,
    ...residence,
  });
}

function toOrtTensor({ attributes: { name }, shape, dtype }: Node<"input">, feeds: Feeds): OrtTensor {
  const values = feeds[name];
  if (!values) throw new RangeError(`no value for input "${name}"`);
  if (values instanceof DeviceTensor) return values.value;
  if (values instanceof Uint16Array) return new OrtTensor(halfType(name, dtype), values, shape);
  if (values instanceof Float32Array) return new OrtTensor("float32", values, shape);
  if (dtype !== "i64") throw new RangeError(`input "${name}" is ${dtype}, but was fed integers`);
  return new OrtTensor("int64", values instanceof Int32Array ? toInt64(values) : values, shape);
}

/** Type with which a 16-bit input is passed. The Node.js binding lacks bfloat16, so its bits are passed as integers. */
function halfType(name: string, dtype: Dtype): "uint16" | "float16" {
  if (dtype === "bf16") return "uint16";
  if (dtype === "f16") return "float16";
  throw new RangeError(`input "${name}" is ${dtype}, but was fed numbers of 16 bits`);
}

/** Converts 32-bit to 64-bit integers. Each half is written as a 32-bit word, which avoids a BigInt per element. */
export function toInt64(values: Int32Array): BigInt64Array {
  const words = new Int32Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    words[2 * i] = value;
    words[2 * i + 1] = value >> 31;
  }
  return new BigInt64Array(words.buffer);
}

function toFloats(value: OrtTensor | undefined, name: string): Float32Array {
  if (value?.data instanceof Float32Array) return value.data;
  throw new TypeError(`output "${name}" is ${value?.type ?? "missing"}, not float32`);
}

function toDeviceTensor(value: OrtTensor | undefined, { name, shape }: { name: string; shape: Tensor["shape"] }) {
  if (value && value.location !== "cpu") return new DeviceTensor(value, shape);
  throw new TypeError(`output "${name}" is ${value ? "on the processor" : "missing"}, not on the device`);
}

/** Adds to `traffic` the bytes of inputs and results in host memory, which are copied to or from the device. */
function count(traffic: Traffic, fed: readonly OrtTensor[], results: readonly OrtTensor[]): void {
  const bytesOf = (tensors: readonly OrtTensor[]): number =>
    tensors.reduce((bytes, { location, size, type }) => bytes + (location === "cpu" ? size * widthOf(type) : 0), 0);
  traffic.toDevice += bytesOf(fed);
  traffic.fromDevice += bytesOf(results);
}

function widthOf(type: string): number {
  if (type === "int64") return 8;
  return type === "float16" || type === "uint16" ? 2 : 4;
}

export function mapValues<Name extends string, X, Y>(
  record: Readonly<Record<Name, X>>,
  apply: (value: X, name: Name) => Y,
): Record<Name, Y> {
  const result: Partial<Record<Name, Y>> = {};
  for (const name in record) result[name] = apply(record[name], name);
  return result as Record<Name, Y>;
}

/** Creates a CPU session from an encoded ONNX model, which ONNX Runtime optimises only once per machine. */
export async function createCached(
  bytes: Uint8Array,
  folder: string,
  { maxBytes = 256e6, ...settings }: { maxBytes?: number } & OrtSettings = {},
): Promise<InferenceSession> {
  const path = join(folder, `${contentKey(bytes)}.onnx`);
  const options = ortOptions("cpu", settings);
  return (await load(path, options)) ?? (await optimise(bytes, path, { folder, maxBytes, options }));
}

/** Hash that names an optimised graph, from the model, the version of ONNX Runtime and the processor. */
function contentKey(bytes: Uint8Array): string {
  return createHash("sha256").update(placeOfComputation()).update(bytes).digest("hex").slice(0, 40);
}

/** Creates a session from a cached optimised model. Returns null if the file is missing or unreadable. */
async function load(path: string, options: InferenceSession.SessionOptions): Promise<InferenceSession | null> {
  try {
    const optimised = readFileSync(path);
    utimesSync(path, new Date(), new Date());
    return await InferenceSession.create(optimised, { ...options, graphOptimizationLevel: "disabled" });
  } catch {
    return null;
  }
}

/** Optimises a model and caches the result. A failure to write the cache, as on a full disk, is ignored. */
async function optimise(
  bytes: Uint8Array,
  path: string,
  { folder, maxBytes, options }: { folder: string; maxBytes: number; options: InferenceSession.SessionOptions },
): Promise<InferenceSession> {
  const draft = join(folder, `${randomUUID()}.part`);
  try {
    mkdirSync(folder, { recursive: true });
    const session = await InferenceSession.create(bytes, { ...options, optimizedModelFilePath: draft });
    // Several runs may write this file at once. After the rename, each run reads a whole file or none.
    renameSync(draft, path);
    forgetOldest(folder, maxBytes);
    return session;
  } catch {
    if (existsSync(draft)) rmSync(draft);
    return InferenceSession.create(bytes, options);
  }
}

/** Removes the least recently used files of a folder until the remaining files fit in `maxBytes`. Subfolders stay. */
export function forgetOldest(folder: string, maxBytes: number): void {
  const files = readdirSync(folder).flatMap((name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return stats?.isFile() ? [{ name, bytes: stats.size, usedMs: stats.mtimeMs }] : [];
  });
  let total = 0;
  for (const { name, bytes } of files.sort((a, b) => b.usedMs - a.usedMs)) {
    total += bytes;
    if (total > maxBytes) rmSync(join(folder, name), { force: true });
  }
}
