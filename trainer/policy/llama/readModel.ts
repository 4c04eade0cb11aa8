import { join } from "node:path";
import { z } from "zod";
import type { LlamaConfig } from "../config.ts";
import { readSmallJson } from "../tensorFile.ts";
import type { Architecture, RotaryScaling } from "./architecture.ts";

/**
 * Default maximum context in tokens; few episodes exceed it. Many models allow thirty times as many: too large a
 * cache.
 */
const usualContextTokens = 4096;

/** Reads a pretrained model's configuration from its folder, for sequences of at most `contextTokens` tokens. */
export function readModelConfig(folder: string, contextTokens?: number): LlamaConfig {
  const path = join(folder, "config.json");
  const { architecture, vocabularySize } = parseModelConfig(readSmallJson(path), path);
  const { maxTokens } = architecture;
  if (contextTokens !== undefined && contextTokens > maxTokens) {
    throw new RangeError(
      `policy.contextTokens: is ${contextTokens}, must be at most ${maxTokens}, the model's maximum in ${path}`,
    );
  }
  return { architecture, vocabularySize, contextTokens: contextTokens ?? Math.min(usualContextTokens, maxTokens) };
}

const size = z.int().min(1);
const noSuch = z.undefined({ error: "positions that differ from layer to layer are not supported" }).optional();
const Rotary = z.looseObject({
  rope_type: z.enum(["default", "linear", "llama3"]).optional(),
  type: z.enum(["default", "linear", "llama3"]).optional(),
  rope_theta: z.number().positive().optional(),
  factor: z.number().min(1).optional(),
  low_freq_factor: z.number().positive().optional(),
  high_freq_factor: z.number().positive().optional(),
  original_max_position_embeddings: size.optional(),
  partial_rotary_factor: z.literal(1).nullish(),
  /** RoPE settings that differ between kinds of layers are rejected, because all layers share one base frequency. */
  full_attention: noSuch,
  sliding_attention: noSuch,
});

/** A Hugging Face model's `config.json`. Values that need an unsupported computation are rejected. */
const ModelConfig = z.object({
  model_type: z.enum(["llama", "qwen2", "qwen3"]),
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  num_key_value_heads: size.nullish(),
  head_dim: size.nullish(),
  hidden_act: z.literal("silu").default("silu"),
  max_position_embeddings: size,
  rms_norm_eps: z.number().positive(),
  tie_word_embeddings: z.boolean().default(false),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  partial_rotary_factor: z.literal(1).nullish(),
  use_sliding_window: z.literal(false).default(false),
  /** Kind of attention in each layer; written by transformers since version 4.53. */
  layer_types: z.array(z.literal("full_attention")).nullish(),
  quantization_config: z.undefined({ error: "quantized weights are not supported" }).optional(),
  /** RoPE settings of transformers since version 5; older versions wrote the next two fields. */
  rope_parameters: Rotary.nullish(),
  rope_theta: z.number().positive().nullish(),
  rope_scaling: Rotary.nullish(),
});
type ModelConfig = z.infer<typeof ModelConfig>;

type ReadConfig = { readonly architecture: Architecture; readonly vocabularySize: number };

/** Parses a model's `config.json`; `path` is for the error message. */
export function parseModelConfig(content: unknown, path: string): ReadConfig {
  const result = ModelConfig.safeParse(content);
  if (!result.success) throw new Error(`${path} cannot be read\n${z.prettifyError(result.error)}`);
  const model = result.data;
  const numHeads = model.num_attention_heads;
  const numKeyValueHeads = model.num_key_value_heads ?? numHeads;
  // Default head width: 128 for Qwen3, otherwise the model's width divided by the number of heads.
  const usualHeadWidth = model.model_type === "qwen3" ? 128 : model.hidden_size / numHeads;
  const headWidth = model.head_dim ?? usualHeadWidth;
  if (numHeads % numKeyValueHeads !== 0) {
    throw new RangeError(
      `${path}: ${numHeads} attention heads cannot share ${numKeyValueHeads} key-value heads evenly`,
    );
  }
  if (headWidth % 2 !== 0) throw new RangeError(`${path}: heads are ${headWidth} wide, must be even`);
  const isQwen2 = model.model_type === "qwen2";
  const rotary = model.rope_parameters ?? model.rope_scaling ?? {};
  return {
    vocabularySize: model.vocab_size,
    architecture: {
      family: model.model_type,
      numLayers: model.num_hidden_layers,
      width: model.hidden_size,
      numHeads,
      numKeyValueHeads,
      headWidth,
      feedForwardWidth: model.intermediate_size,
      epsilon: model.rms_norm_eps,
      rotary: { base: rotary.rope_theta ?? model.rope_theta ?? 10_000, scaling: toScaling(rotary, path) },
      maxTokens: model.max_position_embeddings,
      isTied: model.tie_word_embeddings,
      // Qwen2's configuration does not state its biases: queries, keys and values always have them.
      biases: {
        queryKeyValue: isQwen2 || model.attention_bias,
        output: !isQwen2 && model.attention_bias,
        feedForward: model.model_type === "llama" && model.mlp_bias,
      },
      hasHeadNorms: model.model_type === "qwen3",
    },
  };
}

function toScaling(rotary: z.infer<typeof Rotary>, path: string): RotaryScaling {
  const kind = rotary.rope_type ?? rotary.type ?? "default";
  const required = (name: keyof typeof rotary): number => {
    const value = rotary[name];
    if (typeof value !== "number") throw new Error(`${path}: positions of type ${kind} need ${name}, which is missing`);
    return value;
  };
  switch (kind) {
    case "default":
      return { kind };
    case "linear":
      return { kind, factor: required("factor") };
    case "llama3":
      return {
        kind,
        factor: required("factor"),
        lowFrequencyFactor: required("low_freq_factor"),
        highFrequencyFactor: required("high_freq_factor"),
        originalTokens: required("original_max_position_embeddings"),
      };
  }
}
