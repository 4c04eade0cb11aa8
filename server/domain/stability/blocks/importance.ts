/** Effective share of samples behind weights: 1 / mean((w / mean w)²); 1 when all are equal. */
export function effectiveShare(weights: readonly number[]): number {
  const mean = weights.reduce((sum, w) => sum + w, 0) / weights.length;
  return 1 / (weights.reduce((sum, w) => sum + (w / mean) ** 2, 0) / weights.length);
}

/** Divergences of policies from their log-ratios log π − log π_old: k1 and k3 estimates of the KL, and χ². */
export function divergences(logRatios: readonly number[]): { k1: number; k3: number; chiSquared: number } {
  const meanOf = (f: (z: number) => number) => logRatios.reduce((sum, z) => sum + f(z), 0) / logRatios.length;
  return {
    k1: meanOf((z) => -z),
    k3: meanOf((z) => Math.expm1(z) - z),
    chiSquared: meanOf((z) => Math.exp(2 * z)) - 1,
  };
}
