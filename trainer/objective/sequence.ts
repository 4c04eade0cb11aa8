import type { RolloutShape } from "#trainer/spec/run.ts";
import { episodesOf, groupsOf, type IndexedRow, type Row } from "./row.ts";

/** Groups turns by training row, each of which is one text: a single turn, or all turns of an episode in order. */
export function sequencesOf(rows: readonly Row[], shape: RolloutShape): IndexedRow[][] {
  if (shape === "windowed") return [...rows.entries()].map((row) => [row]);
  return groupsOf(rows).flatMap(episodesOf);
}

/** Joins per-token values of turns to those of whole sequences. */
export function joinTurns(sequences: readonly IndexedRow[][], values: readonly ArrayLike<number>[]): Float64Array[] {
  return sequences.map((turns) => Float64Array.from(turns.flatMap(([i]) => Array.from(values[i] ?? []))));
}

/** The inverse: cuts per-token values of sequences into those of their turns, in the turns' order. */
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
