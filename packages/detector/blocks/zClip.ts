/** Running mean and variance of the clipped gradient norms. */
export type ZClipState = { mean: number; variance: number };

export const zClipDefaults = { alpha: 0.97, limit: 2.5, warmup: 25 } as const;

/** Population mean and variance of the first norms. */
export function warmZClip(norms: readonly number[]): ZClipState {
  const mean = norms.reduce((sum, x) => sum + x, 0) / norms.length;
  return { mean, variance: norms.reduce((sum, x) => sum + (x - mean) ** 2, 0) / norms.length };
}

/**
 * One step of ZClip (github.com/bluorion-com/ZClip): a norm more than `limit` deviations above the mean is clipped to μ
 * + limit²σ/z. The clipped value enters the averages; the variance is taken around the new mean.
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
