import { numElements } from "#trainer/graph/shape.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Checkpoint } from "../checkpoint.ts";
import type { LlamaConfig, LoraConfig } from "../config.ts";
import { adaptedMatrices, loraShapes } from "./shapes.ts";
import { linearModules, tensorName, transposed } from "./weights.ts";

type Arrays = Readonly<Record<string, Float32Array>>;

/** A is drawn evenly from ±1/√inputs, B is 0: the adapted model starts as the model itself. */
export function makeLora(config: LlamaConfig, lora: LoraConfig, rng: Rng): Record<string, Float32Array> {
  return Object.fromEntries(
    Object.entries(loraShapes(config, lora)).map(([name, shape]) => {
      const bound = name.endsWith("LoraA") ? 1 / Math.sqrt(shape[0] ?? 1) : 0;
      return [name, new Float32Array(numElements(shape)).map(() => (bound === 0 ? 0 : bound * (2 * rng.next() - 1)))];
    }),
  );
}

/** The weights with what the adapters add to them. Those that have none are shared. */
export function mergeLora(config: LlamaConfig & { lora: LoraConfig }, weights: Arrays, adapters: Arrays): Arrays {
  const { lora } = config;
  const merged = adaptedMatrices(config, lora).map(([name, [inputs = 0, outputs = 0]]) => {
    const [a, b] = [adapters[`${name}LoraA`], adapters[`${name}LoraB`]];
    const sums = weights[name]?.slice();
    if (!a || !b || !sums) throw new RangeError(`the policy has no adapter or no matrix "${name}"`);
    const scale = lora.alpha / lora.rank;
    for (let i = 0; i < inputs; i++) {
      for (let j = 0; j < outputs; j++) {
        let sum = 0;
        for (let r = 0; r < lora.rank; r++) sum += (a[i * lora.rank + r] ?? 0) * (b[r * outputs + j] ?? 0);
        sums[i * outputs + j] = (sums[i * outputs + j] ?? 0) + scale * sum;
      }
    }
    return [name, sums] as const;
  });
  return { ...weights, ...Object.fromEntries(merged) };
}

/** Adapters under the names that PEFT reads, and the configuration that it reads beside them. */
export function toAdapter(
  config: LlamaConfig & { lora: LoraConfig },
  adapters: Arrays,
  base: { name: string; revision?: string },
) {
  const { lora } = config;
  const tensors: Record<string, Checkpoint["tensors"][string]> = {};
  for (const [name, [rows = 0, columns = 0]] of Object.entries(loraShapes(config, lora))) {
    const [, matrix = "", factor = ""] = /^(.*)Lora([AB])$/.exec(name) ?? [];
    const key = `base_model.model.${tensorName(matrix).replace(/weight$/, `lora_${factor}.weight`)}`;
    const values = transposed(adapters[name] ?? new Float32Array(), [rows, columns]);
    tensors[key] = { shape: [columns, rows], values };
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
