import type { Dimensions } from "../dimensions.ts";

/** How far a model's positions were stretched after it was trained on shorter texts. */
export type RotaryScaling =
  | { readonly kind: "default" }
  /** Every angle divided by the factor. */
  | { readonly kind: "linear"; readonly factor: number }
  /** Slow angles divided, fast ones kept, those between interpolated (Llama 3.1). */
  | {
      readonly kind: "llama3";
      readonly factor: number;
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
      /** Context of the training before, in tokens. */
      readonly originalTokens: number;
    };

/** The transformer of Llama, Qwen2 and Qwen3: what they share, and where they differ. */
export type Architecture = Dimensions & {
  readonly family: "llama" | "qwen2" | "qwen3";
  /** ε of RMSNorm. */
  readonly epsilon: number;
  readonly rotary: { readonly base: number; readonly scaling: RotaryScaling };
  /** Longest text that the model was made for, in tokens. */
  readonly maxTokens: number;
  /** The output layer is the embedding. */
  readonly isTied: boolean;
  readonly biases: { readonly queryKeyValue: boolean; readonly output: boolean; readonly feedForward: boolean };
  /** Queries and keys of every head are normed, with a gain each (Qwen3). */
  readonly hasHeadNorms: boolean;
};
