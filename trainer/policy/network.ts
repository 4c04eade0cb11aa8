import { gather, reshape } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { PolicyConfig } from "./config.ts";
import type { ParameterTensors } from "./parameters.ts";

/** Parameters, as graph tensors, and configuration of a model. */
export type Network<Config extends PolicyConfig = PolicyConfig> = {
  readonly parameters: ParameterTensors;
  readonly config: Config;
};

/** Token positions, R per row, whose hidden states are needed. All other positions serve only as context. */
export type Selection = {
  /** (B, R) i64 positions within each row. */
  readonly positions: Tensor;
  /** (B, R) i64 indices into the flattened batch: row·T + position. */
  readonly flat: Tensor;
};

/** One layer's queries (B, H, R, headWidth), times 1/√headWidth; keys and values (B, KV, T, headWidth). */
export type Projected = { readonly q: Tensor; readonly k: Tensor; readonly v: Tensor };

/** Building blocks in which transformer families differ. A forward pass combines them. */
export type Pieces = {
  /** Embeds tokens (B, T) → (B, T, width). `positions` (B, T) defaults to 0, 1, 2, … */
  readonly embed: (tokens: Tensor, positions?: Tensor) => Tensor;
  /** Projects the residual stream (B, T, width). A selection limits the queries to selected tokens. */
  readonly project: (x: Tensor, layer: number, at?: { positions?: Tensor; selection?: Selection }) => Projected;
  /** Output projection of attention: (B, T, H·headWidth) → (B, T, width). */
  readonly output: (attended: Tensor, layer: number) => Tensor;
  /** Output of a layer's feed-forward block, which is added to the residual stream. */
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

/** Picks the hidden states of selected positions: (B, T, width) → (B, R, width). */
export function pick(x: Tensor, { flat }: Selection): Tensor {
  const [numRows = 0, numTokens = 0, width = 0] = x.shape;
  return gather(reshape(x, [numRows * numTokens, width]), flat);
}
