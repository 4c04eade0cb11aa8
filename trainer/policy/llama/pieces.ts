import { add, gather, matmul, mul, rmsNorm, sigmoid, widen } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { LlamaConfig } from "../config.ts";
import { splitHeads } from "../heads.ts";
import { outputTable } from "../parameters.ts";
import { parameter, pick, type Network, type Pieces } from "../network.ts";
import { makeTables, rotate, type RotaryTables } from "../rotary.ts";
import type { Architecture } from "./architecture.ts";

/** Llama, Qwen2 or Qwen3: pre-norm with gains, rotary positions, grouped-query attention, SwiGLU (arXiv:2002.05202). */
export function llamaPieces({ parameters, config }: Network<LlamaConfig>): Pieces {
  const { headWidth, epsilon, hasHeadNorms } = config.architecture;
  const tables = tablesOf(config);
  const stored = (name: string): Tensor => parameter(parameters, name);
  const of = (name: string): Tensor => widen(stored(name));
  const norm = (x: Tensor, name: string): Tensor => mul(rmsNorm(x, epsilon), of(name));
  const adapted = (product: Tensor, x: Tensor, name: string): Tensor => {
    const [a, b] = [parameters[`${name}LoraA`], parameters[`${name}LoraB`]];
    if (!config.lora || !a || !b) return product;
    return add(product, mul(matmul(matmul(x, a), b), config.lora.alpha / config.lora.rank));
  };
  const linear = (x: Tensor, name: string): Tensor => {
    const bias = parameters[`${name}Bias`];
    const product = matmul(x, of(name));
    return adapted(bias ? add(product, bias) : product, x, name);
  };
  /** Projects x, (B, T, width) → (B, H, T, headWidth), and normalises the heads if the model does. */
  const heads = (x: Tensor, name: string): Tensor => {
    const split = splitHeads(linear(x, name), headWidth);
    return hasHeadNorms ? norm(split, `${name}Norm`) : split;
  };
  return {
    embed: (tokens) => widen(gather(stored("embedding"), tokens)),
    project(x, layer, { positions, selection } = {}) {
      const normal = norm(x, `layer${layer}/attentionNorm`);
      const asking = selection ? pick(normal, selection) : normal;
      const q = rotate(heads(asking, `layer${layer}/query`), tables, selection ? selection.positions : positions);
      const k = rotate(heads(normal, `layer${layer}/key`), tables, positions);
      return {
        q: mul(q, 1 / Math.sqrt(headWidth)),
        k,
        v: splitHeads(linear(normal, `layer${layer}/value`), headWidth),
      };
    },
    output: (attended, layer) => linear(attended, `layer${layer}/out`),
    feedForward(x, layer) {
      const normal = norm(x, `layer${layer}/feedForwardNorm`);
      const gate = linear(normal, `layer${layer}/gate`);
      return linear(mul(mul(gate, sigmoid(gate)), linear(normal, `layer${layer}/up`)), `layer${layer}/down`);
    },
    finalNorm: (x) => norm(x, "finalNorm"),
    unembedding: () => of(outputTable(config)),
  };
}

const known = new WeakMap<LlamaConfig, RotaryTables>();

/** Makes RoPE tables. All graphs share one array, so that every model file contains it once. */
function tablesOf(config: LlamaConfig): RotaryTables {
  const { architecture, contextTokens } = config;
  const frequencies = rotaryFrequencies(architecture);
  const angleOf = (position: number, pair: number): number => Math.fround(position * (frequencies[pair] ?? 0));
  const tables = known.get(config) ?? makeTables(contextTokens, architecture.headWidth, angleOf);
  known.set(config, tables);
  return tables;
}

/** RoPE's headWidth / 2 angles per position, fastest first, in single precision as in the models' training. */
export function rotaryFrequencies({ headWidth, rotary }: Pick<Architecture, "headWidth" | "rotary">): Float32Array {
  const { base, scaling } = rotary;
  const plain = Float32Array.from({ length: headWidth / 2 }, (_, i) => 1 / Math.fround(base ** ((2 * i) / headWidth)));
  switch (scaling.kind) {
    case "default":
      return plain;
    case "linear":
      return plain.map((frequency) => frequency / scaling.factor);
    case "llama3": {
      const { factor, lowFrequencyFactor: low, highFrequencyFactor: high, originalTokens } = scaling;
      return plain.map((frequency) => {
        // Number of full rotations of the coordinate pair within the context of the original training.
        const turns = (originalTokens * frequency) / (2 * Math.PI);
        if (turns < low) return frequency / factor;
        if (turns > high) return frequency;
        const share = (turns - low) / (high - low);
        return (1 - share) * (frequency / factor) + share * frequency;
      });
    }
  }
}
