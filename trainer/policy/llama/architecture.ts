import type { Dimensions } from "../dimensions.ts";

/** Change of the rotary angles that lets a model read longer texts than it was trained on. */
export type RotaryScaling =
  | { readonly kind: "default" }
  /** Divides every rotary angle by the factor. */
  | { readonly kind: "linear"; readonly factor: number }
  /** Divides angles of slow rotations, leaves those of fast rotations, and interpolates between both (Llama 3.1). */
  | {
      readonly kind: "llama3";
      readonly factor: number;
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
      /** Context length of the original training, in tokens. */
      readonly originalTokens: number;
    };

/** Structure of a Llama, Qwen2 or Qwen3 transformer: its dimensions, and the features in which the families differ. */
export type Architecture = Dimensions & {
  readonly family: "llama" | "qwen2" | "qwen3";
  readonly epsilon: number;
  readonly rotary: { readonly base: number; readonly scaling: RotaryScaling };
  /** Maximum text length of the model, in tokens. */
  readonly maxTokens: number;
  /** True if the output layer uses the embedding matrix. */
  readonly isTied: boolean;
  readonly biases: { readonly queryKeyValue: boolean; readonly output: boolean; readonly feedForward: boolean };
  /** True if queries and keys of every head are normalised, each with a gain of its own (Qwen3). */
  readonly hasHeadNorms: boolean;
};
