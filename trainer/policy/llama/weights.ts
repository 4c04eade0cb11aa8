import type { LlamaConfig, LoraTarget } from "../config.ts";
import type { HalfFormat, Shape } from "#trainer/graph/tensor.ts";
import type { PendingTensors } from "../checkpoint.ts";
import { storedType, type FrozenParameters } from "../parameters.ts";
import { openTensorFiles, type TensorFiles } from "./safetensors.ts";
import { llamaShapes } from "./shapes.ts";

type NamedArrays = Record<string, Float32Array<ArrayBuffer>>;

/** Name of each adapted matrix's module in transformers, below a layer. */
export const linearModules: Readonly<Record<LoraTarget, string>> = {
  query: "self_attn.q_proj",
  key: "self_attn.k_proj",
  value: "self_attn.v_proj",
  out: "self_attn.o_proj",
  gate: "mlp.gate_proj",
  up: "mlp.up_proj",
  down: "mlp.down_proj",
};

/** Names of a layer's tensors in transformers, without the prefix `model.layers.N`. */
const layerTensors: Readonly<Record<string, string>> = {
  attentionNorm: "input_layernorm.weight",
  feedForwardNorm: "post_attention_layernorm.weight",
  queryNorm: "self_attn.q_norm.weight",
  keyNorm: "self_attn.k_norm.weight",
  ...Object.fromEntries(Object.entries(linearModules).flatMap(([name, module]) => linear(name, module))),
};

function linear(name: string, module: string): [string, string][] {
  return [
    [name, `${module}.weight`],
    [`${name}Bias`, `${module}.bias`],
  ];
}

const otherTensors: Readonly<Record<string, string>> = {
  embedding: "model.embed_tokens.weight",
  finalNorm: "model.norm.weight",
  unembedding: "lm_head.weight",
};

/** Returns the name under which a parameter is stored in a model's files. */
export function tensorName(name: string): string {
  const [, layer, part = ""] = /^layer(\d+)\/(\w+)$/.exec(name) ?? [];
  const found = layer === undefined ? otherTensors[name] : layerTensors[part];
  if (found === undefined) throw new RangeError(`no tensor is known for the parameter "${name}"`);
  return layer === undefined ? found : `model.layers.${layer}.${found}`;
}

/** True for parameters that PyTorch stores transposed, as (outputs, inputs); embeddings have the same shape. */
export function isTurned(name: string, shape: readonly number[]): boolean {
  return name.startsWith("layer") && shape.length === 2;
}

export function readWeights(folder: string, config: LlamaConfig): NamedArrays {
  return readAll(folder, config, (files, name, shape) => readTurned(name, shape, singles(files)));
}

/** Base weights, frozen below LoRA adapters, each in the element type of `storedType`. */
export function readFrozen(folder: string, config: LlamaConfig): FrozenParameters {
  return readAll<Float32Array | Uint16Array>(folder, config, (files, name, shape) =>
    storedType(config, name, shape) === "f32"
      ? readTurned(name, shape, singles(files))
      : readTurned(name, shape, halves(files)),
  );
}

/** Returns the 16-bit format of a model's layers if all their matrices share one; otherwise undefined. */
export function findHalves(folder: string, config: LlamaConfig): HalfFormat | undefined {
  const files = openTensorFiles(folder);
  try {
    const matrices = Object.entries(llamaShapes(config)).filter(([name, shape]) => isTurned(name, shape));
    const [format, ...others] = new Set(matrices.map(([name]) => files.formatOf(tensorName(name))));
    return format === "f32" || others.length > 0 ? undefined : format;
  } finally {
    files.close();
  }
}

type Matrix = readonly [rows: number, columns: number];
type Reader<Values> = {
  read: (tensor: string, shape: Shape) => Values;
  turn: (values: Values, size: Matrix) => Values;
};

function singles({ read }: TensorFiles): Reader<Float32Array<ArrayBuffer>> {
  return { read, turn: transposed };
}

function halves({ readBits }: TensorFiles): Reader<Uint16Array<ArrayBuffer>> {
  return { read: readBits, turn: (bits, size) => turnInto(new Uint16Array(bits.length), bits, size) };
}

/** Reads the stored tensor of one parameter, transposed if necessary. */
function readTurned<Values>(name: string, shape: Shape, { read, turn }: Reader<Values>): Values {
  if (!isTurned(name, shape)) return read(tensorName(name), shape);
  const [rows = 0, columns = 0] = shape;
  return turn(read(tensorName(name), [columns, rows]), [columns, rows]);
}

function readAll<Values>(
  folder: string,
  config: LlamaConfig,
  read: (files: TensorFiles, name: string, shape: Shape) => Values,
): Record<string, Values> {
  const shapes = Object.entries(llamaShapes(config));
  const files = openTensorFiles(folder);
  try {
    const expected = new Set(shapes.map(([name]) => tensorName(name)));
    const unknown = files.names.find((name) => !expected.has(name) && !isSpare(name, config));
    if (unknown !== undefined) {
      throw new Error(`${folder}: a ${config.architecture.family} of this configuration has no tensor "${unknown}"`);
    }
    return Object.fromEntries(shapes.map(([name, shape]) => [name, read(files, name, shape)]));
  } finally {
    files.close();
  }
}

/** True for redundant tensors in older files, whose values follow from the configuration. */
function isSpare(name: string, { architecture: { isTied } }: LlamaConfig): boolean {
  return name.endsWith(".rotary_emb.inv_freq") || (isTied && name === otherTensors["unembedding"]);
}

/** Returns a parameter's values by name; they may be computed only at this call. */
export type ValuesOf = (name: string) => Float32Array;

export function valuesOf(parameters: Readonly<Record<string, Float32Array>>): ValuesOf {
  return (name) => {
    const values = parameters[name];
    if (!values) throw new RangeError(`the policy has no parameter "${name}"`);
    return values;
  };
}

/** Tensors that the transformers library reads, each computed when it is written. */
export function toTensors(config: LlamaConfig, values: ValuesOf): PendingTensors {
  return Object.fromEntries(
    Object.entries(llamaShapes(config)).map(([name, shape]) => {
      const [rows = 0, columns = 0] = shape;
      const pending = isTurned(name, shape)
        ? { shape: [columns, rows], values: () => transposed(values(name), [rows, columns]) }
        : { shape, values: () => values(name) };
      return [tensorName(name), pending];
    }),
  );
}

export function transposed(values: Float32Array, size: Matrix): Float32Array<ArrayBuffer> {
  return turnInto(new Float32Array(values.length), values, size);
}

function turnInto<Values extends Float32Array | Uint16Array>(
  turned: Values,
  values: Float32Array | Uint16Array,
  [rows, columns]: Matrix,
): Values {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) turned[j * rows + i] = values[i * columns + j] ?? 0;
  }
  return turned;
}
