export type PageHinkleyOptions = {
  /** Slack, in the units of the values: give it standardised residuals. */
  delta: number;
  /** Forgetting: 1 keeps all. */
  alpha: number;
};

/** Page–Hinkley sums, as river computes them: running mean first, then max(0, α·sum + x − mean − δ). (N,) → (N,) */
export function pageHinkley(values: readonly number[], { delta, alpha }: PageHinkleyOptions): number[] {
  let mean = 0;
  let sum = 0;
  return values.map((x, i) => {
    mean += (x - mean) / (i + 1);
    sum = Math.max(0, alpha * sum + x - mean - delta);
    return sum;
  });
}
