/** One-sided tabular CUSUM of standardised values: S ← max(0, S + z − k). (N,) → (N,) */
export function cusum(values: readonly number[], slack: number): number[] {
  let sum = 0;
  return values.map((z) => (sum = Math.max(0, sum + z - slack)));
}

/** Index of the first value that lifts the sum above `limit`; undefined if none does. */
export function cusumAlarm(values: readonly number[], { slack, limit }: { slack: number; limit: number }) {
  const at = cusum(values, slack).findIndex((sum) => sum > limit);
  return at === -1 ? undefined : at;
}
