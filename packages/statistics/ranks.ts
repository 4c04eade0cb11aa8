export type Ranking = {
  /** Ranks from 1 for the smallest, (N,); means for values equal except for rounding; all NaN if a value is NaN. */
  ranks: number[];
  /** Number of values in each group of equal values, including groups of one; empty if a value is NaN. */
  tieSizes: number[];
};

export function rank(values: readonly number[]): Ranking {
  const ranks = values.map(() => NaN);
  if (values.some((value) => Number.isNaN(value))) return { ranks, tieSizes: [] };
  const order = Array.from(values.keys()).sort((a, b) => compareNumbers(values[a] ?? 0, values[b] ?? 0));
  const tieSizes: number[] = [];
  for (let start = 0; start < order.length;) {
    const value = values[order[start] ?? 0] ?? NaN;
    let end = start + 1;
    while (end < order.length && isTied(values[order[end] ?? 0] ?? NaN, value)) end += 1;
    for (const i of order.slice(start, end)) ranks[i] = (start + 1 + end) / 2;
    tieSizes.push(end - start);
    start = end;
  }
  return { ranks, tieSizes };
}

/** Compares two numbers for sorting. Subtraction would give NaN for two equal infinities. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Maps each distinct value to its rank, ascending from 0; equal except for rounding share a rank; NaN has none. */
export function toRanks(values: readonly number[]): ReadonlyMap<number, number> {
  const different = [...new Set(values)].filter((value) => !Number.isNaN(value)).sort(compareNumbers);
  let [first, rank] = [different[0] ?? NaN, 0];
  return new Map(
    different.map((value) => {
      if (!isTied(value, first)) [first, rank] = [value, rank + 1];
      return [value, rank];
    }),
  );
}

/** Returns the tie correction of the variance of ranks: Σ (t³ − t) over groups of t equal values. */
export function tieTerm(tieSizes: readonly number[]): number {
  return tieSizes.reduce((sum, size) => sum + size ** 3 - size, 0);
}

/** Sums in another order differ by a few units in the last place; measured values never by so little. */
const tolerance = 16 * Number.EPSILON;

/** True if two values differ only by rounding. Every test counts such values as a tie. */
export function isTied(a: number, b: number): boolean {
  const apart = Math.abs(a - b);
  return a === b || (apart < Infinity && apart <= tolerance * Math.max(Math.abs(a), Math.abs(b)));
}
