import { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import { inputsFirst } from "#trainer/graph/backward.ts";
import type { Node, Tensor } from "#trainer/graph/tensor.ts";
import { encode, outputName } from "./encode.ts";
import { createCached } from "./modelCache.ts";
import { ortOptions } from "./options.ts";

/** Values by input name. Integer inputs take Int32Array (converted) or BigInt64Array (as it is). */
export type Feeds = Readonly<Record<string, Float32Array | Int32Array | BigInt64Array>>;

/** A compiled graph. `run` reads the feeds in place and returns fresh arrays. */
export type Session<Name extends string> = {
  readonly run: (feeds: Feeds) => Promise<Record<Name, Float32Array>>;
  readonly close: () => Promise<void>;
};

export type SessionOptions = {
  /** An ONNX Runtime execution provider: "cpu" (default), "cuda", "webgpu". */
  readonly executionProvider?: string;
  /** Where optimised graphs are kept by content hash, shared by all runs of a machine; none without one. */
  readonly cacheFolder?: string;
  /** Inputs that are the same in every run of every session, where a run brings none of that name. */
  readonly frozen?: Feeds;
  /** Holds no working memory between runs and no more than it needs in one: for graphs with large activations. */
  readonly returnsMemory?: boolean;
  /** Write an operator-level profile with this file prefix. */
  readonly profileFilePrefix?: string;
};

/** Compiles named f32 graphs into one session on one thread. */
export async function makeSession<Name extends string>(
  outputs: Readonly<Record<Name, Tensor>>,
  options: SessionOptions = {},
): Promise<Session<Name>> {
  const inputs = inputsFirst(Object.values<Tensor>(outputs)).filter((node) => node.kind === "input");
  const provider = options.executionProvider ?? "cpu";
  const bytes = encode(outputs, provider === "cpu" ? "cpu" : "standard");
  const session = await compile(bytes, provider, options);
  return {
    async run(changing) {
      const feeds = options.frozen ? { ...options.frozen, ...changing } : changing;
      const results = await session.run(
        Object.fromEntries(inputs.map((node) => [node.attributes.name, toOrtTensor(node, feeds)])),
      );
      return mapValues(outputs, (_, name) => toFloats(results[outputName(name)], name));
    },
    close: async () => {
      if (options.profileFilePrefix) session.endProfiling();
      await session.release();
    },
  };
}

function compile(
  bytes: Uint8Array,
  provider: string,
  { cacheFolder, profileFilePrefix, returnsMemory }: SessionOptions,
): Promise<InferenceSession> {
  if (provider === "cpu" && cacheFolder && !profileFilePrefix)
    return createCached(bytes, cacheFolder, { returnsMemory });
  const profiling = profileFilePrefix ? { enableProfiling: true, profileFilePrefix } : {};
  return InferenceSession.create(bytes, { ...ortOptions(provider, returnsMemory), ...profiling });
}

function toOrtTensor({ attributes: { name }, shape, dtype }: Node<"input">, feeds: Feeds): OrtTensor {
  const values = feeds[name];
  if (!values) throw new RangeError(`no value for input "${name}"`);
  if (values instanceof Float32Array) return new OrtTensor("float32", values, shape);
  if (dtype !== "i64") throw new RangeError(`input "${name}" is ${dtype}, but was fed integers`);
  return new OrtTensor("int64", values instanceof Int32Array ? toInt64(values) : values, shape);
}

/** Sign-extends without making a BigInt per element. */
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

/** The same names with other values. */
export function mapValues<Name extends string, X, Y>(
  record: Readonly<Record<Name, X>>,
  apply: (value: X, name: Name) => Y,
): Record<Name, Y> {
  const result: Partial<Record<Name, Y>> = {};
  for (const name in record) result[name] = apply(record[name], name);
  return result as Record<Name, Y>;
}
