import type { HalfFormat } from "#trainer/graph/tensor.ts";
import type { PolicySize, PositionKind } from "#trainer/spec/policy.ts";
import type { Dimensions } from "./dimensions.ts";
import type { Architecture } from "./llama/architecture.ts";

/** Built-in policy sizes by name. The number of parameters without embeddings is 12 · numLayers · width². */
export const policySizes = {
  nano: { numLayers: 2, width: 64, numHeads: 2 },
  micro: { numLayers: 4, width: 128, numHeads: 4 },
  mini: { numLayers: 6, width: 208, numHeads: 4 },
  small: { numLayers: 8, width: 320, numHeads: 8 },
} as const satisfies Record<PolicySize, Pick<Dimensions, "numLayers" | "width" | "numHeads">>;

type Common = {
  readonly vocabularySize: number;
  /** Maximum number of tokens in a sequence, prompt and response together. */
  readonly contextTokens: number;
};

export type BuiltInConfig = Common & {
  readonly architecture?: undefined;
  readonly size: PolicySize;
  /** Learned embeddings, or rotary embeddings (RoPE), with which attention depends on distance. */
  readonly positions: PositionKind;
};

/** Weight matrices of a layer that can get a LoRA adapter. */
export type LoraTarget = "query" | "key" | "value" | "out" | "gate" | "up" | "down";
export type LoraConfig = { readonly rank: number; readonly alpha: number; readonly targets: readonly LoraTarget[] };

/** Configuration of a pretrained model of the Llama, Qwen2 or Qwen3 family. */
export type LlamaConfig = Common & {
  readonly architecture: Architecture;
  /** Settings of LoRA adapters. With adapters, the model's own weights are frozen; undefined trains all weights. */
  readonly lora?: LoraConfig;
  /** 16-bit format of the frozen weight matrices in memory, which each pass converts to f32; undefined stores f32. */
  readonly halves?: HalfFormat;
};

/** Configuration of a policy, which determines the shapes of all its parameters. */
export type PolicyConfig = BuiltInConfig | LlamaConfig;

export function dimensionsOf(config: PolicyConfig): Dimensions {
  if (config.architecture) return config.architecture;
  const { width, numHeads, numLayers } = policySizes[config.size];
  const headWidth = width / numHeads;
  return { numLayers, width, numHeads, numKeyValueHeads: numHeads, headWidth, feedForwardWidth: 4 * width };
}
