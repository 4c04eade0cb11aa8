import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportModel } from "#trainer/policy/llama/exportModel.ts";
import { readModelConfig } from "#trainer/policy/llama/readModel.ts";
import { valuesOf } from "#trainer/policy/llama/weights.ts";
import { makeParameters } from "#trainer/policy/parameters.ts";
import { split } from "#trainer/spec/rng.ts";

const tokenizers = join(import.meta.dirname, "../../policy/text/testing");

/** Makes a model folder in the format of transformers: a chat tokenizer and a small Qwen3 with random weights. */
export function makeModelFolder(parent: string): string {
  const from = join(parent, "shape");
  mkdirSync(from, { recursive: true });
  writeFileSync(join(from, "config.json"), JSON.stringify(shape));
  for (const name of ["tokenizer.json", "tokenizer_config.json", "chat_template.jinja"]) {
    copyFileSync(join(tokenizers, "qwen", name), join(from, name));
  }
  const config = readModelConfig(from);
  exportModel({ from, to: parent }, config, valuesOf(makeParameters(config, split(1, "model"))));
  return join(parent, "model");
}

const shape = {
  architectures: ["Qwen3ForCausalLM"],
  model_type: "qwen3",
  vocab_size: 704,
  hidden_size: 32,
  intermediate_size: 48,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 8,
  hidden_act: "silu",
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-6,
  rope_theta: 1e6,
  tie_word_embeddings: true,
  torch_dtype: "bfloat16",
};
