import type { PolicySize, PositionKind } from "#trainer/spec/run.ts";

type Dimensions = { readonly numLayers: number; readonly width: number; readonly numHeads: number };

/** Sizes by name; parameters without embeddings are 12 · numLayers · width². */
export const policySizes = {
  nano: { numLayers: 2, width: 64, numHeads: 2 },
  micro: { numLayers: 4, width: 128, numHeads: 4 },
  mini: { numLayers: 6, width: 208, numHeads: 4 },
  small: { numLayers: 8, width: 320, numHeads: 8 },
} as const satisfies Record<PolicySize, Dimensions>;

/** All that decides the shapes of a policy's parameters. */
export type PolicyConfig = {
  readonly size: PolicySize;
  readonly vocabularySize: number;
  /** Longest row, prompt and response together, in tokens. */
  readonly contextTokens: number;
  /** An embedding of every position, or attention by distance. */
  readonly positions: PositionKind;
};

export function dimensionsOf({ size }: PolicyConfig): Dimensions & { readonly headWidth: number } {
  const dimensions = policySizes[size];
  return { ...dimensions, headWidth: dimensions.width / dimensions.numHeads };
}
