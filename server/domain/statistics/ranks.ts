export type Ranking = {
  /** (N,) 1 for the smallest; equal values share the mean of their places. */
  ranks: number[];
  /** Sizes of the groups of equal values, groups of one included. */
  tieSizes: number[];
};

export function rank(values: readonly number[]): Ranking {
  const order = Array.from(values.keys()).sort((a, b) => (values[a] ?? NaN) - (values[b] ?? NaN));
  const ranks = values.map(() => NaN);
  const tieSizes: number[] = [];
  for (let start = 0; start < order.length;) {
    const value = values[order[start] ?? 0];
    const length = order.slice(start).findIndex((i) => values[i] !== value);
    const size = length === -1 ? order.length - start : length;
    for (const i of order.slice(start, start + size)) ranks[i] = start + (size + 1) / 2;
    tieSizes.push(size);
    start += size;
  }
  return { ranks, tieSizes };
}

/** Σ (t³ − t) over the groups of equal values: what ties take from the variance of ranks. */
export function tieTerm(tieSizes: readonly number[]): number {
  return tieSizes.reduce((sum, size) => sum + size ** 3 - size, 0);
}
