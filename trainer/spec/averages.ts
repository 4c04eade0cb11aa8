/** Mean of a list; NaN for an empty list. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((total, x) => total + x, 0) / values.length;
}

/** Upper median: the larger of the two middle values of a list of even length; NaN for an empty list. */
export function medianOf(values: readonly number[]): number {
  return Float64Array.from(values).sort()[Math.floor(values.length / 2)] ?? NaN;
}
