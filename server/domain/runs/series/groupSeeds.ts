import type { AlignedSeeds } from "./alignSeeds.ts";

/** Mean and spread per iteration, over the columns with a value. All (N,). */
export type Group = {
  /** NaN without a value. */
  mean: Float64Array;
  /** Sample standard deviation (n − 1); NaN where n < 2. */
  sd: Float64Array;
  /** Number of columns with a value. */
  n: Int32Array;
};

export function groupSeeds({ iterations, columns }: Pick<AlignedSeeds, "iterations" | "columns">): Group {
  const size = iterations.length;
  const mean = new Float64Array(size);
  const squares = new Float64Array(size);
  const n = new Int32Array(size);
  for (const column of columns) {
    for (let slot = 0; slot < size; slot++) {
      const x = column[slot] ?? NaN;
      if (!Number.isFinite(x)) continue;
      // Welford's algorithm: no cancellation if the spread is small relative to the mean.
      const numSoFar = (n[slot] ?? 0) + 1;
      const before = mean[slot] ?? 0;
      const after = before + (x - before) / numSoFar;
      n[slot] = numSoFar;
      mean[slot] = after;
      squares[slot] = (squares[slot] ?? 0) + (x - before) * (x - after);
    }
  }
  const sd = squares;
  for (let slot = 0; slot < size; slot++) {
    const count = n[slot] ?? 0;
    sd[slot] = count < 2 ? NaN : Math.sqrt((squares[slot] ?? 0) / (count - 1));
    if (count === 0) mean[slot] = NaN;
  }
  return { mean, sd, n };
}

/** Values at an iteration's index, ascending. */
export function makeSorter(columns: readonly Float64Array[]): (index: number) => Float64Array {
  return (index) =>
    Float64Array.from(columns, (column) => column[index] ?? NaN)
      .filter(Number.isFinite)
      .sort();
}
