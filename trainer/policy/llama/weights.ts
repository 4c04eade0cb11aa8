import type { LlamaConfig, LoraTarget } from "../config.ts";
import type { Checkpoint } from "../checkpoint.ts";
import { openTensorFiles } from "./safetensors.ts";
import { llamaShapes } from "./shapes.ts";

type NamedArrays = Record<string, Float32Array<ArrayBuffer>>;

/** The products of a layer, by the modules that transformers has them in. */
export const linearModules: Readonly<Record<LoraTarget, string>> = {
  query: "self_attn.q_proj",
  key: "self_attn.k_proj",
  value: "self_attn.v_proj",
  out: "self_attn.o_proj",
  gate: "mlp.gate_proj",
  up: "mlp.up_proj",
  down: "mlp.down_proj",
};

/** Names of a layer's tensors as transformers has them, below `model.layers.N`. */
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

/** The tensor that a parameter of ours is in a model's files. */
export function tensorName(name: string): string {
  const [, layer, part = ""] = /^layer(\d+)\/(\w+)$/.exec(name) ?? [];
  const found = layer === undefined ? otherTensors[name] : layerTensors[part];
  if (found === undefined) throw new RangeError(`no tensor is known for the parameter "${name}"`);
  return layer === undefined ? found : `model.layers.${layer}.${found}`;
}

/** Ours are applied from the right, (inputs, outputs); PyTorch keeps the transpose. Embeddings are looked up: rows in both. */
function isTurned(name: string, shape: readonly number[]): boolean {
  return name.startsWith("layer") && shape.length === 2;
}

/** The weights in a model's folder as parameters of ours, in single precision. */
export function readWeights(folder: string, config: LlamaConfig): NamedArrays {
  const shapes = Object.entries(llamaShapes(config));
  const files = openTensorFiles(folder);
  try {
    const expected = new Set(shapes.map(([name]) => tensorName(name)));
    const unknown = files.names.find((name) => !expected.has(name) && !isSpare(name, config));
    if (unknown !== undefined) {
      throw new Error(`${folder}: a ${config.architecture.family} of this configuration has no tensor "${unknown}"`);
    }
    return Object.fromEntries(
      shapes.map(([name, shape]) => {
        if (!isTurned(name, shape)) return [name, files.read(tensorName(name), shape)];
        const [rows = 0, columns = 0] = shape;
        return [name, transposed(files.read(tensorName(name), [columns, rows]), [columns, rows])];
      }),
    );
  } finally {
    files.close();
  }
}

/** What older files have beside the weights: it follows from the configuration. */
function isSpare(name: string, { architecture: { isTied } }: LlamaConfig): boolean {
  return name.endsWith(".rotary_emb.inv_freq") || (isTied && name === otherTensors["unembedding"]);
}

/** Parameters of ours as the tensors that transformers reads. */
export function toTensors(
  config: LlamaConfig,
  parameters: Readonly<Record<string, Float32Array>>,
): Checkpoint["tensors"] {
  return Object.fromEntries(
    Object.entries(llamaShapes(config)).map(([name, shape]) => {
      const values = parameters[name];
      if (!values) throw new RangeError(`the policy has no parameter "${name}"`);
      const [rows = 0, columns = 0] = shape;
      const stored = isTurned(name, shape)
        ? { shape: [columns, rows], values: transposed(values, [rows, columns]) }
        : { shape, values };
      return [tensorName(name), stored];
    }),
  );
}

/** (rows, columns) → (columns, rows) */
export function transposed(
  values: Float32Array,
  [rows, columns]: readonly [number, number],
): Float32Array<ArrayBuffer> {
  const turned = new Float32Array(values.length);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) turned[j * rows + i] = values[i * columns + j] ?? 0;
  }
  return turned;
}
