import type { HalfFormat } from "#trainer/graph/half.ts";
import type { PolicySize, PositionKind } from "#trainer/spec/policy.ts";
import type { Dimensions } from "./dimensions.ts";
import type { Architecture } from "./llama/architecture.ts";

/** Sizes by name; parameters without embeddings are 12 · numLayers · width². */
export const policySizes = {
  nano: { numLayers: 2, width: 64, numHeads: 2 },
  micro: { numLayers: 4, width: 128, numHeads: 4 },
  mini: { numLayers: 6, width: 208, numHeads: 4 },
  small: { numLayers: 8, width: 320, numHeads: 8 },
} as const satisfies Record<PolicySize, Pick<Dimensions, "numLayers" | "width" | "numHeads">>;

type Common = {
  readonly vocabularySize: number;
  /** Longest row, prompt and response together, in tokens. */
  readonly contextTokens: number;
};

/** One of the built-in sizes. */
export type BuiltInConfig = Common & {
  readonly architecture?: undefined;
  readonly size: PolicySize;
  /** An embedding of every position, or attention by distance. */
  readonly positions: PositionKind;
};

/** A matrix of a layer that adapters can be added to. */
export type LoraTarget = "query" | "key" | "value" | "out" | "gate" | "up" | "down";
export type LoraConfig = { readonly rank: number; readonly alpha: number; readonly targets: readonly LoraTarget[] };

/** A model of the Llama family, as its own configuration describes it. */
export type LlamaConfig = Common & {
  readonly architecture: Architecture;
  /** Its weights stay as they are, and adapters beside them learn. */
  readonly lora?: LoraConfig;
  /** As what matrices below adapters are held, widened where a pass reads them; in single precision without it. */
  readonly halves?: HalfFormat;
};

/** All that decides the shapes of a policy's parameters. */
export type PolicyConfig = BuiltInConfig | LlamaConfig;

export function dimensionsOf(config: PolicyConfig): Dimensions {
  if (config.architecture) return config.architecture;
  const { width, numHeads, numLayers } = policySizes[config.size];
  const headWidth = width / numHeads;
  return { numLayers, width, numHeads, numKeyValueHeads: numHeads, headWidth, feedForwardWidth: 4 * width };
}
