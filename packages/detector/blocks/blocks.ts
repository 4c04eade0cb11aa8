/**
 * Marks the steps that OLMo-core's SkipStepOptimizer would skip. These are values above mean + `sigmas`·std (n − 1)
 * of the previous `window` values, once half a window of values exists. Comparisons with NaN are false, so a
 * non-finite value is skipped, as are all steps whose window contains one. (N,) → (N,)
 */
export function findSkips(
  values: readonly number[],
  { window, sigmas }: { window: number; sigmas: number },
): boolean[] {
  return values.map((x, i) => {
    if (i + 1 < Math.max(2, Math.floor(window / 2))) return false;
    const from = Math.max(0, i - window);
    let sum = 0;
    for (let k = from; k < i; k++) sum += values[k] ?? NaN;
    const mean = sum / (i - from);
    let squares = 0;
    for (let k = from; k < i; k++) squares += ((values[k] ?? NaN) - mean) ** 2;
    return !(x - mean <= sigmas * Math.sqrt(squares / (i - from - 1)));
  });
}

export type ZClipState = { mean: number; variance: number };

export const zClipDefaults = { alpha: 0.97, limit: 2.5, warmup: 25 } as const;

/** Returns ZClip's initial averages: population mean and variance of the warm-up's gradient norms. */
export function warmZClip(norms: readonly number[]): ZClipState {
  const mean = norms.reduce((sum, x) => sum + x, 0) / norms.length;
  return { mean, variance: norms.reduce((sum, x) => sum + (x - mean) ** 2, 0) / norms.length };
}

/**
 * Advances ZClip by one gradient norm (github.com/bluorion-com/ZClip). A norm that is z > `limit` standard deviations
 * σ above the mean μ is clipped to μ + limit²σ/z. The clipped value enters the averages; its deviation is taken from
 * the new mean.
 */
export function nextZClip(
  { mean, variance }: ZClipState,
  norm: number,
  { alpha, limit }: { alpha: number; limit: number } = zClipDefaults,
): { state: ZClipState; z: number; clipped: number } {
  const std = Math.sqrt(variance);
  const z = (norm - mean) / (std + 1e-6);
  const clipped = z > limit ? mean + (limit * std) / (z / limit) : norm;
  const nextMean = alpha * mean + (1 - alpha) * clipped;
  const nextVariance = alpha * variance + (1 - alpha) * (clipped - nextMean) ** 2;
  return { state: { mean: nextMean, variance: nextVariance }, z, clipped };
}
