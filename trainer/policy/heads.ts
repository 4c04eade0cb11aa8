import { add, concat, matmul, mul, reshape, slice, softmax, sum, transpose } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { Projected } from "./network.ts";

/** Value added to masked attention scores: low enough that softmax gives exactly 0, yet finite. */
export const MASKED = -1e9;

/** Splits heads: (B, T, H·headWidth) → (B, H, T, headWidth). */
export function splitHeads(x: Tensor, headWidth: number): Tensor {
  const [numRows = 0, numTokens = 0, width = 0] = x.shape;
  return transpose(reshape(x, [numRows, numTokens, width / headWidth, headWidth]), [0, 2, 1, 3]);
}

/** Joins heads: (B, H, T, headWidth) → (B, T, H·headWidth). */
export function joinHeads(x: Tensor): Tensor {
  const [numRows = 0, numHeads = 0, numTokens = 0, headWidth = 0] = x.shape;
  return reshape(transpose(x, [0, 2, 1, 3]), [numRows, numTokens, numHeads * headWidth]);
}

/** softmax(q·kᵀ + mask)·v, (B, H, R, headWidth), for R queries per row. The mask broadcasts to (B, H, R, T). */
export function attend({ q, k, v }: Projected, mask: Tensor): Tensor {
  const weights = softmax(add(ungroup(matmul(group(q, k), transpose(k)), q), mask));
  return ungroup(matmul(group(weights, v), v), q);
}

/**
 * Attends from one new token per row to itself and S cached ones: (B, H, 1, headWidth). `mask` (B, 1, 1, S) is 0 on
 * filled slots.
 */
export function attendToCache(
  { q, k, v }: Projected,
  { keys, values, mask }: { keys: Tensor; values: Tensor; mask: Tensor },
): Tensor {
  const cacheTokens = keys.shape[2] ?? 0;
  const pastScores = add(ungroup(matmul(group(q, k), transpose(keys)), q), mask);
  const ownScores = ungroup(sum(mul(group(q, k), k), -1, { keepDims: true }), q);
  const weights = softmax(concat([pastScores, ownScores], -1));
  const past = matmul(group(slice(weights, -1, [0, cacheTokens]), v), values);
  const own = mul(group(slice(weights, -1, [cacheTokens, cacheTokens + 1]), v), v);
  return ungroup(add(past, own), q);
}

/**
 * Attends from T new tokens per row to S cached and those new ones that `causal` (T, T) allows: (B, H, T, headWidth).
 */
export function attendToBoth(
  { q, k, v }: Projected,
  { keys, values, mask }: { keys: Tensor; values: Tensor; mask: Tensor },
  causal: Tensor,
): Tensor {
  const [cacheTokens = 0, numTokens = 0] = [keys.shape[2], k.shape[2]];
  const pastScores = add(ungroup(matmul(group(q, k), transpose(keys)), q), mask);
  const ownScores = add(ungroup(matmul(group(q, k), transpose(k)), q), causal);
  const weights = softmax(concat([pastScores, ownScores], -1));
  const past = matmul(group(slice(weights, -1, [0, cacheTokens]), v), values);
  const own = matmul(group(slice(weights, -1, [cacheTokens, cacheTokens + numTokens]), v), v);
  return ungroup(add(past, own), q);
}

/** (B, H, R, X) → (B, KV, H/KV·R, X): heads that share keys and values become rows of one matrix product. */
function group(x: Tensor, shared: Tensor): Tensor {
  const [numRows = 0, numHeads = 0, numSelected = 0, size = 0] = x.shape;
  const numKeyValueHeads = shared.shape[1] ?? 1;
  return reshape(x, [numRows, numKeyValueHeads, (numHeads / numKeyValueHeads) * numSelected, size]);
}

/** Reverses `group`, given the queries' shape (B, H, R, …). */
function ungroup(x: Tensor, { shape: [numRows = 0, numHeads = 0, numSelected = 0] }: Tensor): Tensor {
  return reshape(x, [numRows, numHeads, numSelected, x.shape.at(-1) ?? 0]);
}
