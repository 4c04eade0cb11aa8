import { gather, reshape } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { PolicyConfig } from "./config.ts";
import type { ParameterTensors } from "./parameters.ts";

/** What a pass computes with. */
export type Network<Config extends PolicyConfig = PolicyConfig> = {
  readonly parameters: ParameterTensors;
  readonly config: Config;
};

/** Positions whose hidden states are wanted, R of each row; the others are read as context only. */
export type Selection = {
  /** (B, R) i64, position within the row. */
  readonly positions: Tensor;
  /** (B, R) i64, row·T + position. */
  readonly flat: Tensor;
};

/** Of one layer: queries (B, H, R, headWidth), scaled by 1/√headWidth; keys and values (B, KV, T, headWidth). */
export type Projected = { readonly q: Tensor; readonly k: Tensor; readonly v: Tensor };

/** The pieces in which families of transformers differ. A pass puts them together. */
export type Pieces = {
  /** (B, T) tokens → (B, T, width). `positions` (B, T) are 0, 1, 2, … without it. */
  readonly embed: (tokens: Tensor, positions?: Tensor) => Tensor;
  /** Of the residual stream (B, T, width) at a layer, or with a selection queries of the selected tokens alone. */
  readonly project: (x: Tensor, layer: number, at?: { positions?: Tensor; selection?: Selection }) => Projected;
  /** (B, T, heads) → (B, T, width) */
  readonly output: (attended: Tensor, layer: number) => Tensor;
  /** What the feed-forward part of a layer adds to the residual stream. */
  readonly feedForward: (x: Tensor, layer: number) => Tensor;
  /** Before the output layer. */
  readonly finalNorm: (x: Tensor) => Tensor;
  /** (V, width) */
  readonly unembedding: () => Tensor;
};

export function parameter(parameters: ParameterTensors, name: string): Tensor {
  const found = parameters[name];
  if (!found) throw new RangeError(`the policy has no parameter "${name}"`);
  return found;
}

/** (B, T, width) → (B, R, width) */
export function pick(x: Tensor, { flat }: Selection): Tensor {
  const [numRows = 0, numTokens = 0, width = 0] = x.shape;
  return gather(reshape(x, [numRows * numTokens, width]), flat);
}
