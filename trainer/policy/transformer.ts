import { add, constant, exp, gather, input, logSoftmax, matmul, mul, neg, reluSquared } from "#trainer/graph/ops.ts";
import { reshape, slice, softmax, sum, takeAlongLast, transpose } from "#trainer/graph/ops.ts";
import { rmsNorm as rmsNormOf } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { dimensionsOf, type PolicyConfig } from "./config.ts";
import type { ParameterTensors } from "./parameters.ts";
import { rotate } from "./rotary.ts";

/**
 * A decoder-only transformer: pre-norm (RMSNorm without gain), causal attention, learned or rotary positions, squared-ReLU
 * feed-forward (arXiv:2109.08668), tied embeddings, no biases. Rows are padded on the right, so causality alone keeps
 * padding out of every valid token.
 * @param tokens (B, T) i64
 * @returns (B, T, V) logits of the next token
 */
export function transformerLogits(parameters: ParameterTensors, tokens: Tensor, config: PolicyConfig): Tensor {
  return toLogits(parameters, transformer({ parameters, config }, tokens).hidden);
}

/** (…, width) → (…, V) */
export function toLogits(parameters: ParameterTensors, hidden: Tensor): Tensor {
  return matmul(rmsNorm(hidden), transpose(parameter(parameters, "embedding")));
}

/** log π of the targets and the entropy of every step, both (B, T), under logits divided by the temperature. */
export function tokenLogProbs(logits: Tensor, targets: Tensor, temperature = 1): { logProbs: Tensor; entropy: Tensor } {
  const all = logSoftmax(temperature === 1 ? logits : mul(logits, 1 / temperature));
  return { logProbs: takeAlongLast(all, targets), entropy: neg(sum(mul(exp(all), all), -1)) };
}

/** Positions whose hidden states are wanted, R of each row; the others are read as context only. */
export type Selection = {
  /** (B, R) i64, position within the row. */
  readonly positions: Tensor;
  /** (B, R) i64, row·T + position. */
  readonly flat: Tensor;
};

/** The graph inputs for R tokens of each row: `selectedPositions` and `selectedIndices`. */
export function selectionInputs(numRows: number, numSelected: number): Selection {
  const shape = [numRows, numSelected];
  return { positions: input("selectedPositions", shape, "i64"), flat: input("selectedIndices", shape, "i64") };
}

/** What a pass computes with. */
export type Network = { readonly parameters: ParameterTensors; readonly config: PolicyConfig };

export type Hidden = {
  /** (B, T, width), or (B, R, width) at the selected tokens, before the last norm. */
  readonly hidden: Tensor;
  /** (B, H, T, headWidth) of each layer. */
  readonly keys: readonly Tensor[];
  readonly values: readonly Tensor[];
};

/**
 * With a selection, the last layer computes keys and values of every token but queries, output and
 * feed-forward of the selected tokens alone: most of its work, and all of the output layer's, is saved.
 */
export function transformer(network: Network, tokens: Tensor, selection?: Selection): Hidden {
  const { parameters, config } = network;
  const { numLayers } = dimensionsOf(config);
  let x = embed(network, tokens);
  const [keys, values]: [Tensor[], Tensor[]] = [[], []];
  for (let i = 0; i < numLayers; i++) {
    const isNarrow = selection !== undefined && i === numLayers - 1;
    const attended = isNarrow ? attendFrom(network, x, selection) : attend(network, x, i);
    if (isNarrow) x = pick(x, selection);
    x = add(x, matmul(joinHeads(attended.mixed), parameter(parameters, `layer${i}/out`)));
    x = add(x, feedForward(parameters, x, i));
    keys.push(attended.k);
    values.push(attended.v);
  }
  return { hidden: x, keys, values };
}

/** (B, T) tokens → (B, T, width), with their learned positions if there are any. `positions` (B, T) are 0, 1, 2, … without it. */
export function embed({ parameters, config }: Network, tokens: Tensor, positions?: Tensor): Tensor {
  const embedded = gather(parameter(parameters, "embedding"), tokens);
  if (config.positions === "rotary") return embedded;
  const table = parameter(parameters, "positions");
  const [, numTokens = 0] = tokens.shape;
  return add(embedded, positions ? gather(table, positions) : slice(table, 0, [0, numTokens]));
}

/** Queries or keys by their positions, where those are not in the embedding already. */
export function turn(x: Tensor, { positions: kind, contextTokens }: PolicyConfig, positions?: Tensor): Tensor {
  return kind === "rotary" ? rotate(x, contextTokens, positions) : x;
}

/** Causal attention of every position: `mixed` is (B, H, T, headWidth). */
function attend({ parameters, config }: Network, x: Tensor, layer: number) {
  const [, numTokens = 0] = x.shape;
  const [query, key, v] = splitHeads(matmul(rmsNorm(x), parameter(parameters, `layer${layer}/qkv`)), config);
  const [q, k] = [turn(query, config), turn(key, config)];
  const weights = softmax(add(matmul(q, transpose(k)), causalMask(numTokens)));
  return { k, v, mixed: matmul(weights, v) };
}

/** Causal attention of the last layer from the selected tokens: `mixed` is (B, H, R, headWidth). */
function attendFrom({ parameters, config }: Network, x: Tensor, selection: Selection) {
  const { numLayers, width, headWidth } = dimensionsOf(config);
  const [numRows = 0, numTokens = 0] = x.shape;
  const [, numSelected = 0] = selection.flat.shape;
  const qkv = parameter(parameters, `layer${numLayers - 1}/qkv`);
  const normal = rmsNorm(x);
  const [key, v] = toHeads(matmul(normal, slice(qkv, 1, [width, 3 * width])), 2, config);
  const [query] = toHeads(matmul(pick(normal, selection), slice(qkv, 1, [0, width])), 1, config);
  if (!query || !key || !v) throw new Error("attention without heads");
  const [q, k] = [turn(query, config, selection.positions), turn(key, config)];
  const mask = reshape(gather(causalMask(numTokens), selection.positions), [numRows, 1, numSelected, numTokens]);
  const scores = matmul(mul(q, 1 / Math.sqrt(headWidth)), transpose(k));
  return { k, v, mixed: matmul(softmax(add(scores, mask)), v) };
}

/** (B, T, width) → (B, R, width) */
function pick(x: Tensor, { flat }: Selection): Tensor {
  const [numRows = 0, numTokens = 0, width = 0] = x.shape;
  return gather(reshape(x, [numRows * numTokens, width]), flat);
}

export function feedForward(parameters: ParameterTensors, x: Tensor, layer: number): Tensor {
  const up = matmul(rmsNorm(x), parameter(parameters, `layer${layer}/up`));
  return matmul(reluSquared(up), parameter(parameters, `layer${layer}/down`));
}

/** x / rms(x) over the last axis. */
export function rmsNorm(x: Tensor): Tensor {
  return rmsNormOf(x, 1e-6);
}

/** (B, T, 3·width) → queries (scaled by 1/√headWidth), keys and values, each (B, H, T, headWidth). */
export function splitHeads(qkv: Tensor, config: PolicyConfig): readonly [Tensor, Tensor, Tensor] {
  const [q, k, v] = toHeads(qkv, 3, config);
  if (!q || !k || !v) throw new Error("attention without heads");
  return [mul(q, 1 / Math.sqrt(dimensionsOf(config).headWidth)), k, v];
}

/** (B, T, n·width) → n times (B, H, T, headWidth) */
function toHeads(x: Tensor, count: number, config: PolicyConfig): Tensor[] {
  const { numHeads, headWidth } = dimensionsOf(config);
  const [numRows = 0, numTokens = 0] = x.shape;
  const heads = transpose(reshape(x, [numRows, numTokens, count, numHeads, headWidth]), [2, 0, 3, 1, 4]);
  return Array.from({ length: count }, (_, i) =>
    reshape(slice(heads, 0, [i, i + 1]), [numRows, numHeads, numTokens, headWidth]),
  );
}

/** (B, H, T, headWidth) → (B, T, width) */
export function joinHeads(x: Tensor): Tensor {
  const [numRows = 0, numHeads = 0, numTokens = 0, headWidth = 0] = x.shape;
  return reshape(transpose(x, [0, 2, 1, 3]), [numRows, numTokens, numHeads * headWidth]);
}

export function parameter(parameters: ParameterTensors, name: string): Tensor {
  const found = parameters[name];
  if (!found) throw new RangeError(`the policy has no parameter "${name}"`);
  return found;
}

/** Low enough that softmax gives exactly 0, yet finite. */
export const MASKED = -1e9;

/** (T, T): 0 where a token may look, else MASKED. */
function causalMask(numTokens: number): Tensor {
  const values = Float32Array.from({ length: numTokens ** 2 }, (_, i) =>
    i % numTokens > Math.floor(i / numTokens) ? MASKED : 0,
  );
  return constant(values, [numTokens, numTokens]);
}
