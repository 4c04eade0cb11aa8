import type { RolloutShape } from "#trainer/spec/run.ts";
import type { TokenShape } from "./aggregation.ts";
import { episodesOf, groupsOf, type IndexedRow, type Row } from "./row.ts";

/** Minibatch as plain arrays, right-padded to equal length. */
export type TokenBatch = {
  shape: TokenShape;
  /** (B, T) log-probabilities log π under the current policy. */
  logProbs: ArrayLike<number>;
  /** (B, T) log-probabilities log π_old under the policy before the update. */
  oldLogProbs: ArrayLike<number>;
  advantages: ArrayLike<number>;
  /** (B, T), 1 on response tokens. */
  mask: ArrayLike<number>;
};

/**
 * Off-policy sequence masking (ARLArena arXiv:2602.21534 Table 1; DeepSeek-V3.2). A batch row is dropped iff its mean
 * advantage is negative and κ = mean_t (log π_old − log π) > `delta`: the response failed, and the policy has already
 * moved away from it. The mask changes the loss's denominators and has no gradient, so it is computed outside the
 * graph.
 * @returns (B,) true if a row is kept
 */
export function keptRows(batch: TokenBatch, delta: number): boolean[] {
  const [numRows] = batch.shape;
  return Array.from({ length: numRows }, (_, i) => !(meanAdvantage(batch, i) < 0 && drift(batch, i) > delta));
}

/** Mean of log π_old − log π over one row's response, in nats per token; 0 for a row without a response. */
function drift(batch: TokenBatch, row: number): number {
  const { logProbs, oldLogProbs } = batch;
  return rowMean(batch, row, (at) => (oldLogProbs[at] ?? 0) - (logProbs[at] ?? 0));
}

function meanAdvantage(batch: TokenBatch, row: number): number {
  return rowMean(batch, row, (at) => batch.advantages[at] ?? 0);
}

function rowMean({ shape: [, width], mask }: TokenBatch, row: number, valueAt: (at: number) => number): number {
  let [total, length] = [0, 0];
  for (let at = row * width; at < (row + 1) * width; at++) {
    if (!mask[at]) continue;
    total += valueAt(at);
    length++;
  }
  return total / Math.max(length, 1);
}

/** Returns the (B, T) token mask with every batch row outside `kept` set to 0. */
export function maskRows(
  mask: ArrayLike<number>,
  [numRows, width]: TokenShape,
  kept: readonly boolean[],
): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: numRows * width }, (_, at) => {
    const isKept = kept[Math.floor(at / width)] ?? false;
    return isKept && mask[at] ? 1 : 0;
  });
}

/** Training sequences: single turns (`windowed`), or all turns of an episode in order (`transcript`). */
export function sequencesOf(rows: readonly Row[], shape: RolloutShape): IndexedRow[][] {
  if (shape === "windowed") return [...rows.entries()].map((row) => [row]);
  return groupsOf(rows).flatMap(episodesOf);
}

/** Joins per-turn arrays of token values into one array per training sequence. */
export function joinTurns(sequences: readonly IndexedRow[][], values: readonly ArrayLike<number>[]): Float64Array[] {
  return sequences.map((turns) => Float64Array.from(turns.flatMap(([i]) => Array.from(values[i] ?? []))));
}

/** Inverse of `joinTurns`: one array of token values per turn, in the order of the sequences. */
export function cutTurns(sequences: readonly IndexedRow[][], values: readonly Float64Array[]): Float64Array[] {
  const turns: Float64Array[] = [];
  for (const [k, sequence] of sequences.entries()) {
    let from = 0;
    for (const [i, { numTokens }] of sequence) {
      turns[i] = (values[k] ?? new Float64Array(numTokens)).slice(from, from + numTokens);
      from += numTokens;
    }
  }
  return turns;
}
