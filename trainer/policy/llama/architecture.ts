import type { Dimensions } from "../dimensions.ts";

/** Change of RoPE's rotary angles that lets a model read longer texts than it was trained on. */
export type RotaryScaling =
  | { readonly kind: "default" }
  /** Divides every rotary angle by the factor. */
  | { readonly kind: "linear"; readonly factor: number }
  /** Divides slow angles by `factor`, leaves fast ones, and interpolates between both (Llama 3.1). */
  | {
      readonly kind: "llama3";
      readonly factor: number;
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
      /** Context length of the original training, in tokens. */
      readonly originalTokens: number;
    };

/** Structure of a Llama, Qwen2 or Qwen3 transformer: dimensions and the families' different features. */
export type Architecture = Dimensions & {
  readonly family: "llama" | "qwen2" | "qwen3";
  readonly epsilon: number;
  readonly rotary: { readonly base: number; readonly scaling: RotaryScaling };
  /** Maximum text length of the model, in tokens. */
  readonly maxTokens: number;
  /** True if the output layer shares the matrix of the token embedding. */
  readonly isTied: boolean;
  readonly biases: { readonly queryKeyValue: boolean; readonly output: boolean; readonly feedForward: boolean };
  /** True if each query and key head is RMS-normalised, with learned gains (Qwen3). */
  readonly hasHeadNorms: boolean;
};
