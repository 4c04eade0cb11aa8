import type { RolloutShape } from "#trainer/spec/run.ts";
import type { TokenShape } from "./aggregation.ts";
import { episodesOf, groupsOf, type IndexedRow, type Row } from "./row.ts";

/** A minibatch as plain arrays, right-padded: inputs and outputs of the training graph. */
export type TokenBatch = {
  shape: TokenShape;
  /** (B, T) log π. */
  logProbs: ArrayLike<number>;
  /** (B, T) log π_old. */
  oldLogProbs: ArrayLike<number>;
  /** (B, T) advantages. */
  advantages: ArrayLike<number>;
  /** (B, T), 1 on response tokens. */
  mask: ArrayLike<number>;
};

/**
 * Off-policy sequence masking (ARLArena arXiv:2602.21534 Table 1; DeepSeek-V3.2). A row is dropped iff its advantage is
 * negative and κ = mean_t (log π_old − log π) > δ: the row failed, and the policy has already moved away from it. The
 * mask changes the loss's denominators and has no gradient, so it is computed outside the graph.
 * @returns (B,) true if a row is kept
 */
export function keptRows(batch: TokenBatch, delta: number): boolean[] {
  const [numRows] = batch.shape;
  return Array.from({ length: numRows }, (_, i) => !(meanAdvantage(batch, i) < 0 && drift(batch, i) > delta));
}

/** κ of one row in nats per token; 0 for a row without a response. */
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

/** (B, T) the mask without the dropped rows, m′ = m·M. */
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

/** Groups turns into training rows: a single turn, or all turns of an episode in order. */
export function sequencesOf(rows: readonly Row[], shape: RolloutShape): IndexedRow[][] {
  if (shape === "windowed") return [...rows.entries()].map((row) => [row]);
  return groupsOf(rows).flatMap(episodesOf);
}

/** Joins the per-token values of a sequence's turns into one array per sequence. */
export function joinTurns(sequences: readonly IndexedRow[][], values: readonly ArrayLike<number>[]): Float64Array[] {
  return sequences.map((turns) => Float64Array.from(turns.flatMap(([i]) => Array.from(values[i] ?? []))));
}

/**
 * Splits the per-token values of each sequence into one array per turn, in the order of the turns; the inverse of
 * `joinTurns`.
 */
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
