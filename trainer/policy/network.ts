import { gather, reshape } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { PolicyConfig } from "./config.ts";
import type { ParameterTensors } from "./parameters.ts";

/** Parameters and configuration of a pass. */
export type Network<Config extends PolicyConfig = PolicyConfig> = {
  readonly parameters: ParameterTensors;
  readonly config: Config;
};

/** Positions whose hidden states are requested, R per row. The others serve only as context. */
export type Selection = {
  /** (B, R) i64, position within the row. */
  readonly positions: Tensor;
  /** (B, R) i64, row·T + position. */
  readonly flat: Tensor;
};

/**
 * Projections of one layer: queries (B, H, R, headWidth), times 1/√headWidth; keys and values (B, KV, T, headWidth).
 */
export type Projected = { readonly q: Tensor; readonly k: Tensor; readonly v: Tensor };

/** Parts in which families of transformers differ. A pass combines them. */
export type Pieces = {
  /** (B, T) tokens → (B, T, width). `positions` (B, T) defaults to 0, 1, 2, … */
  readonly embed: (tokens: Tensor, positions?: Tensor) => Tensor;
  /** Projects the residual stream (B, T, width) at a layer. With a selection, only queries of the selected tokens. */
  readonly project: (x: Tensor, layer: number, at?: { positions?: Tensor; selection?: Selection }) => Projected;
  /** Output projection of attention: (B, T, heads) → (B, T, width). */
  readonly output: (attended: Tensor, layer: number) => Tensor;
  /** The feed-forward part of a layer, added to the residual stream. */
  readonly feedForward: (x: Tensor, layer: number) => Tensor;
  /** Norm before the output layer. */
  readonly finalNorm: (x: Tensor) => Tensor;
  /** Unembedding matrix, (V, width). */
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
