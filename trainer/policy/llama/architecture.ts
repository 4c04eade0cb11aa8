import type { Dimensions } from "../dimensions.ts";

/** Extension of a model's positions after its training on shorter texts. */
export type RotaryScaling =
  | { readonly kind: "default" }
  /** Divides every angle by the factor. */
  | { readonly kind: "linear"; readonly factor: number }
  /** Divides slow angles, keeps fast ones, and interpolates between (Llama 3.1). */
  | {
      readonly kind: "llama3";
      readonly factor: number;
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
      /** Context of the original training, in tokens. */
      readonly originalTokens: number;
    };

/** The transformer of Llama, Qwen2 and Qwen3: the common structure and the differences. */
export type Architecture = Dimensions & {
  readonly family: "llama" | "qwen2" | "qwen3";
  /** ε of RMSNorm. */
  readonly epsilon: number;
  readonly rotary: { readonly base: number; readonly scaling: RotaryScaling };
  /** Maximum text length of the model, in tokens. */
  readonly maxTokens: number;
  /** True if the output layer is the embedding. */
  readonly isTied: boolean;
  readonly biases: { readonly queryKeyValue: boolean; readonly output: boolean; readonly feedForward: boolean };
  /** True if queries and keys of every head are normalised, with a gain each (Qwen3). */
  readonly hasHeadNorms: boolean;
};
