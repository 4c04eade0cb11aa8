import { describe, expect, it } from "vitest";
import { numParameters } from "../parameters.ts";
import { parseModelConfig } from "./readModel.ts";

/**
 * Facts about published models: the fields of their `config.json` that affect computation, in the file's notation, and
 * the number of parameters stated on their pages.
 */
const published = [
  {
    name: "Llama-3.2-1B-Instruct",
    config: {
      model_type: "llama",
      vocab_size: 128_256,
      hidden_size: 2048,
      intermediate_size: 8192,
      num_hidden_layers: 16,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      head_dim: 64,
      attention_bias: false,
      mlp_bias: false,
      pretraining_tp: 1,
      hidden_act: "silu",
      rms_norm_eps: 1e-5,
      max_position_embeddings: 131_072,
      rope_theta: 500_000,
      tie_word_embeddings: true,
      torch_dtype: "bfloat16",
      rope_scaling: {
        rope_type: "llama3",
        factor: 32,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 8192,
      },
      eos_token_id: [128_001, 128_008, 128_009],
    },
    numParameters: 1_235_814_400,
    architecture: {
      isTied: true,
      rotary: { base: 500_000, scaling: { kind: "llama3", factor: 32, originalTokens: 8192 } },
    },
  },
  {
    name: "Qwen2.5-0.5B-Instruct",
    config: {
      model_type: "qwen2",
      vocab_size: 151_936,
      hidden_size: 896,
      intermediate_size: 4864,
      num_hidden_layers: 24,
      num_attention_heads: 14,
      num_key_value_heads: 2,
      hidden_act: "silu",
      sliding_window: 32_768,
      use_sliding_window: false,
      max_window_layers: 21,
      rms_norm_eps: 1e-6,
      max_position_embeddings: 32_768,
      rope_theta: 1e6,
      tie_word_embeddings: true,
      torch_dtype: "bfloat16",
    },
    numParameters: 494_032_768,
    architecture: { headWidth: 64, biases: { queryKeyValue: true, output: false }, rotary: { base: 1e6 } },
  },
  {
    name: "Qwen3-0.6B",
    config: {
      model_type: "qwen3",
      vocab_size: 151_936,
      hidden_size: 1024,
      intermediate_size: 3072,
      head_dim: 128,
      num_hidden_layers: 28,
      num_attention_heads: 16,
      num_key_value_heads: 8,
      hidden_act: "silu",
      attention_bias: false,
      sliding_window: null,
      use_sliding_window: false,
      max_window_layers: 28,
      max_position_embeddings: 40_960,
      rope_theta: 1e6,
      rope_scaling: null,
      tie_word_embeddings: true,
      rms_norm_eps: 1e-6,
      torch_dtype: "bfloat16",
    },
    numParameters: 596_049_920,
    architecture: { headWidth: 128, hasHeadNorms: true, biases: { queryKeyValue: false } },
  },
  {
    name: "TinyLlama-1.1B-Chat-v1.0",
    config: {
      model_type: "llama",
      vocab_size: 32_000,
      hidden_size: 2048,
      intermediate_size: 5632,
      num_hidden_layers: 22,
      num_attention_heads: 32,
      num_key_value_heads: 4,
      hidden_act: "silu",
      attention_bias: false,
      pretraining_tp: 1,
      max_position_embeddings: 2048,
      rms_norm_eps: 1e-5,
      rope_scaling: null,
      rope_theta: 10_000,
      tie_word_embeddings: false,
      torch_dtype: "bfloat16",
    },
    numParameters: 1_100_048_384,
    architecture: { isTied: false, rotary: { base: 10_000, scaling: { kind: "default" } } },
  },
  {
    name: "SmolLM2-135M-Instruct",
    config: {
      model_type: "llama",
      vocab_size: 49_152,
      hidden_size: 576,
      intermediate_size: 1536,
      num_hidden_layers: 30,
      num_attention_heads: 9,
      num_key_value_heads: 3,
      hidden_act: "silu",
      is_llama_config: true,
      rope_interleaved: false,
      rope_scaling: null,
      rope_theta: 100_000,
      max_position_embeddings: 8192,
      rms_norm_eps: 1e-5,
      tie_word_embeddings: true,
      mlp_bias: false,
    },
    numParameters: 134_515_008,
    architecture: { headWidth: 64, rotary: { base: 100_000 } },
  },
];

describe.each(published)("the configuration of $name", ({ config, ...expected }) => {
  it("is read, and gives the number of parameters that is published", () => {
    const { architecture, vocabularySize } = parseModelConfig(config, "config.json");
    expect(architecture).toMatchObject(expected.architecture);
    expect(numParameters({ architecture, vocabularySize, contextTokens: 4096 })).toBe(expected.numParameters);
  });

  it("is read the same when transformers 5 has written it again", () => {
    const {
      rope_theta,
      rope_scaling,
      torch_dtype: dtype,
      ...rest
    } = { rope_scaling: null, torch_dtype: "", ...config };
    const again = {
      ...rest,
      dtype,
      pad_token_id: null,
      sliding_window: null,
      rope_parameters: { rope_type: "default", ...rope_scaling, rope_theta },
      layer_types: Array.from({ length: config.num_hidden_layers }, () => "full_attention"),
    };
    expect(parseModelConfig(again, "config.json")).toEqual(parseModelConfig(config, "config.json"));
  });
});
