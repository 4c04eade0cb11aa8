import { numElements } from "#trainer/graph/shape.ts";
import type { LoraTargets, PolicySpec } from "#trainer/spec/policy.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { PendingTensors } from "../checkpoint.ts";
import type { LlamaConfig, LoraConfig, LoraTarget } from "../config.ts";
import { adaptedMatrices, loraShapes } from "./shapes.ts";
import { linearModules, tensorName, transposed, valuesOf, type ValuesOf } from "./weights.ts";

type Arrays = Readonly<Record<string, Float32Array>>;

/** A is uniform in ±1/√inputs and B is 0, so that the adapted model starts as the base model. */
export function makeLora(config: LlamaConfig, lora: LoraConfig, rng: Rng): Record<string, Float32Array> {
  return Object.fromEntries(
    Object.entries(loraShapes(config, lora)).map(([name, shape]) => {
      const bound = name.endsWith("LoraA") ? 1 / Math.sqrt(shape[0] ?? 1) : 0;
      return [name, new Float32Array(numElements(shape)).map(() => (bound === 0 ? 0 : bound * (2 * rng.next() - 1)))];
    }),
  );
}

/** Adds LoRA products; each matrix is computed on request. Those without an adapter are not copied. */
export function mergeLora(config: LlamaConfig & { lora: LoraConfig }, weights: ValuesOf, adapters: Arrays): ValuesOf {
  const sizes = new Map(adaptedMatrices(config, config.lora));
  const factor = valuesOf(adapters);
  return (name) => {
    const [, outputs] = sizes.get(name) ?? [];
    if (outputs === undefined) return weights(name);
    const { rank, alpha } = config.lora;
    const factors = { a: factor(`${name}LoraA`), b: factor(`${name}LoraB`), rank, outputs, scale: alpha / rank };
    return addProduct(weights(name), factors);
  };
}

type Factors = { a: Float32Array; b: Float32Array; rank: number; outputs: number; scale: number };

/** W + scale·A·B, summed over the rank in double precision, four ranks at once (twice as fast), missing ones as 0. */
function addProduct(weights: Float32Array, { a, b, rank, outputs, scale }: Factors): Float32Array {
  const merged = weights.slice();
  const row = new Float64Array(outputs);
  for (let start = 0, at = 0; start < merged.length; start += outputs, at += rank) {
    row.fill(0);
    for (let r = 0; r < rank; r += 4) {
      addFour(row, b.subarray(r * outputs), a.subarray(at + r, at + Math.min(r + 4, rank)));
    }
    for (let j = 0; j < outputs; j++) merged[start + j] = (merged[start + j] ?? 0) + scale * (row[j] ?? 0);
  }
  return merged;
}

/** Adds up to four rows of B to `row`, each multiplied by its factor, in order. */
function addFour(row: Float64Array, rows: Float32Array, factors: Float32Array): void {
  const n = row.length;
  const [x0 = 0, x1 = 0, x2 = 0, x3 = 0] = factors;
  for (let j = 0; j < n; j++) {
    const two = (row[j] ?? 0) + x0 * (rows[j] ?? 0) + x1 * (rows[n + j] ?? 0);
    row[j] = two + x2 * (rows[2 * n + j] ?? 0) + x3 * (rows[3 * n + j] ?? 0);
  }
}

/** Converts LoRA adapters to tensors and a configuration in the format of the PEFT library. */
export function toAdapter(
  config: LlamaConfig & { lora: LoraConfig },
  adapters: Arrays,
  base: { name: string; revision?: string },
) {
  const { lora } = config;
  const values = valuesOf(adapters);
  const tensors: Record<string, PendingTensors[string]> = {};
  for (const [name, [rows = 0, columns = 0]] of Object.entries(loraShapes(config, lora))) {
    const [, matrix = "", factor = ""] = /^(.*)Lora([AB])$/.exec(name) ?? [];
    const key = `base_model.model.${tensorName(matrix).replace(/weight$/, `lora_${factor}.weight`)}`;
    tensors[key] = { shape: [columns, rows], values: () => transposed(values(name), [rows, columns]) };
  }
  const settings = {
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    base_model_name_or_path: base.name,
    ...(base.revision !== undefined && { revision: base.revision }),
    r: lora.rank,
    lora_alpha: lora.alpha,
    lora_dropout: 0,
    bias: "none",
    inference_mode: true,
    target_modules: lora.targets.map((target) => linearModules[target].split(".").at(-1)),
  };
  return { tensors, settings };
}

/** By setting `loraTargets`: all of a layer, those of attention, or the LoRA paper's two. */
const targetsOf: Readonly<Record<LoraTargets, readonly LoraTarget[]>> = {
  all: ["query", "key", "value", "out", "gate", "up", "down"],
  attention: ["query", "key", "value", "out"],
  "query-value": ["query", "value"],
};

/** Returns the LoRA settings of a policy specification; undefined if it has no adapters. */
export function loraOf({ loraRank, loraAlpha, loraTargets = "all" }: PolicySpec): LoraConfig | undefined {
  if (loraRank === undefined) return undefined;
  return { rank: loraRank, alpha: loraAlpha ?? loraRank, targets: targetsOf[loraTargets] };
}
