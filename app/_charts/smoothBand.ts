type Band = {
  values: readonly number[];
  lows: readonly (number | null)[];
  highs: readonly (number | null)[];
  counts: readonly number[];
};

/** Smooths a band. Smoothing starts anew where the number of seeds changes, because the mean is over other seeds. */
export function smoothBand({ values, lows, highs, counts }: Band, weight: number) {
  const starts = counts.flatMap((count, i) => (i === 0 || count !== counts[i - 1] ? [i] : []));
  const smoothEach = (column: Float64Array) =>
    starts.flatMap((start, i) => [...smooth(column.subarray(start, starts[i + 1]), weight)]);
  const smoothEdge = (edge: readonly (number | null)[]) =>
    smoothEach(Float64Array.from(edge, toNumber)).map((x) => (Number.isFinite(x) ? x : null));
  return { values: smoothEach(Float64Array.from(values)), lows: smoothEdge(lows), highs: smoothEdge(highs) };
}

function toNumber(edge: number | null): number {
  return edge ?? Number.NaN;
}

/**
 * Returns the bias-corrected exponential moving average, as in TensorBoard: y = m / (1 − wᵏ), with k the number of
 * finite values so far. It averages differences from the first value, so that a constant stays exact. Non-finite
 * values pass through. A `weight` w outside (0, 1) changes nothing.
 */
export function smooth(values: Float64Array, weight: number): Float64Array {
  if (weight <= 0 || weight >= 1) return values.slice();
  const first = values.find(Number.isFinite) ?? 0;
  let average = 0;
  let bias = 1;
  return values.map((x) => {
    if (!Number.isFinite(x)) return x;
    average = weight * average + (1 - weight) * (x - first);
    bias *= weight;
    return first + average / (1 - bias);
  });
}
