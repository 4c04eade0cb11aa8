import { add, constant, exp, gather, input, logSoftmax, matmul, mul, neg, reshape, sub } from "#trainer/graph/ops.ts";
import { sum, takeAlongLast, transpose } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { dimensionsOf, type PolicyConfig } from "./config.ts";
import { attend, joinHeads, MASKED } from "./heads.ts";
import { pick, type Network, type Selection } from "./network.ts";
import type { ParameterTensors } from "./parameters.ts";
import { piecesOf } from "./pieces.ts";

/**
 * Logits of a decoder-only transformer with causal attention. Rows are padded on the right, so that causality alone
 * excludes padding from every valid token's context.
 * @param tokens shape (B, T), i64
 * @returns logits of the next token, shape (B, T, V)
 */
export function transformerLogits(parameters: ParameterTensors, tokens: Tensor, config: PolicyConfig): Tensor {
  const network = { parameters, config };
  return toLogits(network, transformer(network, tokens).hidden);
}

/** Computes logits from hidden states: (…, width) → (…, V). */
export function toLogits(network: Network, hidden: Tensor): Tensor {
  const { finalNorm, unembedding } = piecesOf(network);
  return matmul(finalNorm(hidden), transpose(unembedding()));
}

/** Log-probabilities of targets and entropies of predictions, each (B, T); logits are divided by the temperature. */
export function tokenLogProbs(logits: Tensor, targets: Tensor, temperature = 1): { logProbs: Tensor; entropy: Tensor } {
  const all = logSoftmax(temperature === 1 ? logits : mul(logits, 1 / temperature));
  return { logProbs: takeAlongLast(all, targets), entropy: neg(sum(mul(exp(all), all), -1)) };
}

/** Hidden states (B, T, width), logits (B, T, V), and targets with their log-probabilities, each (B, T). */
type Scored = Readonly<Record<"hidden" | "logits" | "targets" | "logProbs", Tensor>> & { temperature: number };

/**
 * Probability of the given tokens together as the next token, (B, T), at the temperature of the log-probabilities.
 * Only these tokens' logits are computed again, because all probabilities of a large vocabulary take much memory.
 */
export function tokenMass(
  ids: readonly number[],
  network: Network,
  { hidden, logits, targets, logProbs, temperature }: Scored,
): Tensor {
  const { finalNorm, unembedding } = piecesOf(network);
  const own = matmul(finalNorm(hidden), transpose(gather(unembedding(), constant(ids, [ids.length], "i64"))));
  const logTotal = sub(mul(takeAlongLast(logits, targets), 1 / temperature), logProbs);
  return sum(exp(sub(mul(own, 1 / temperature), reshape(logTotal, [...logTotal.shape, 1]))), -1);
}

/** Graph inputs `selectedPositions` and `selectedIndices`, which select R token positions of each row. */
export function selectionInputs(numRows: number, numSelected: number): Selection {
  const shape = [numRows, numSelected];
  return { positions: input("selectedPositions", shape, "i64"), flat: input("selectedIndices", shape, "i64") };
}

export type Hidden = {
  /** Hidden states before the final normalisation: (B, T, width), or (B, R, width) with a selection. */
  readonly hidden: Tensor;
  /** Keys of each layer, (B, KV, T, headWidth). */
  readonly keys: readonly Tensor[];
  readonly values: readonly Tensor[];
  /** Residual stream (B, T, width) before each layer, from which the layer can be recomputed. */
  readonly residuals: readonly Tensor[];
};

/**
 * Runs the transformer up to its last layer. With a selection, the last layer computes keys and values of every
 * token, but queries, output and feed-forward only for the selected tokens. This saves most of the last layer's work,
 * and the output layer's work for all other tokens.
 */
export function transformer(network: Network, tokens: Tensor, selection?: Selection): Hidden {
  const { embed, project, output, feedForward } = piecesOf(network);
  const { numLayers } = dimensionsOf(network.config);
  const [numRows = 0, numTokens = 0] = tokens.shape;
  const causal = causalMask(numTokens);
  let x = embed(tokens);
  const [keys, values, residuals]: [Tensor[], Tensor[], Tensor[]] = [[], [], []];
  for (let i = 0; i < numLayers; i++) {
    residuals.push(x);
    const narrow = i === numLayers - 1 ? selection : undefined;
    const { q, k, v } = project(x, i, narrow && { selection: narrow });
    const mask = narrow ? reshape(gather(causal, narrow.positions), maskShape(narrow, [numRows, numTokens])) : causal;
    if (narrow) x = pick(x, narrow);
    x = add(x, output(joinHeads(attend({ q, k, v }, mask)), i));
    x = add(x, feedForward(x, i));
    keys.push(k);
    values.push(v);
  }
  return { hidden: x, keys, values, residuals };
}

/** Shape (B, 1, R, T) of the causal mask for R selected positions per row. */
function maskShape({ flat }: Selection, [numRows, numTokens]: readonly [number, number]): readonly number[] {
  return [numRows, 1, flat.shape[1] ?? 0, numTokens];
}

/** Causal mask (T, T): 0 where attention is allowed, else MASKED. */
export function causalMask(numTokens: number): Tensor {
  const values = Float32Array.from({ length: numTokens ** 2 }, (_, i) =>
    i % numTokens > Math.floor(i / numTokens) ? MASKED : 0,
  );
  return constant(values, [numTokens, numTokens]);
}
