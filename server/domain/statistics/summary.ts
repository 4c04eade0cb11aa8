/** NaN for no values. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? NaN : values.reduce((sum, x) => sum + x, 0) / values.length;
}

/** Sample standard deviation (n − 1); NaN for fewer than two values. */
export function std(values: readonly number[]): number {
  if (values.length < 2) return NaN;
  const centre = mean(values);
  const squares = values.reduce((sum, x) => sum + (x - centre) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}

/** Standard error of the mean. */
export function sem(values: readonly number[]): number {
  return std(values) / Math.sqrt(values.length);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** Interquartile mean: the mean after dropping ⌊n/4⌋ values at each end. Hides collapsed seeds by design. */
export function interquartileMean(values: readonly number[]): number {
  const trimmed = Math.floor(values.length / 4);
  return mean(values.toSorted((a, b) => a - b).slice(trimmed, values.length - trimmed));
}
