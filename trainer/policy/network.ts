import { gather, reshape } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { PolicyConfig } from "./config.ts";
import type { ParameterTensors } from "./parameters.ts";

/** Parameters and configuration of a model, with which a forward pass is built. */
export type Network<Config extends PolicyConfig = PolicyConfig> = {
  readonly parameters: ParameterTensors;
  readonly config: Config;
};

/** Positions whose hidden states are requested, R per row. All other positions serve only as context. */
export type Selection = {
  /** Positions within the rows, (B, R) i64. */
  readonly positions: Tensor;
  /** Indices row·T + position, (B, R) i64. */
  readonly flat: Tensor;
};

/**
 * Projections of one layer: queries (B, H, R, headWidth), multiplied by 1/√headWidth; keys and values (B, KV, T,
 * headWidth).
 */
export type Projected = { readonly q: Tensor; readonly k: Tensor; readonly v: Tensor };

/** Parts in which families of transformers differ. A forward pass combines them. */
export type Pieces = {
  /** Embeds tokens (B, T) → (B, T, width). `positions` (B, T) defaults to 0, 1, 2, … */
  readonly embed: (tokens: Tensor, positions?: Tensor) => Tensor;
  /** Projects the residual stream (B, T, width) at a layer. A selection limits the queries to selected tokens. */
  readonly project: (x: Tensor, layer: number, at?: { positions?: Tensor; selection?: Selection }) => Projected;
  /** Output projection of attention: (B, T, heads) → (B, T, width). */
  readonly output: (attended: Tensor, layer: number) => Tensor;
  /** Output of a layer's feed-forward part, which is added to the residual stream. */
  readonly feedForward: (x: Tensor, layer: number) => Tensor;
  readonly finalNorm: (x: Tensor) => Tensor;
  /** Unembedding matrix, shape (V, width). */
  readonly unembedding: () => Tensor;
};

export function parameter(parameters: ParameterTensors, name: string): Tensor {
  const found = parameters[name];
  if (!found) throw new RangeError(`the policy has no parameter "${name}"`);
  return found;
}

/** Selects hidden states: (B, T, width) → (B, R, width). */
export function pick(x: Tensor, { flat }: Selection): Tensor {
  const [numRows = 0, numTokens = 0, width = 0] = x.shape;
  return gather(reshape(x, [numRows * numTokens, width]), flat);
}
