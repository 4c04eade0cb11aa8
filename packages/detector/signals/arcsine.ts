/** Noise of a median of w values relative to their mean (√(π/2), for normal noise). */
export const medianNoise = 1.2533;

/** T(p) = asin √p: the variance of an observed rate on this scale, 1/(4n), does not depend on the rate. */
export function toArcsine(rate: number): number {
  return Math.asin(Math.sqrt(Math.min(1, Math.max(0, rate))));
}

/**
 * Effective number of independent episodes if groups of `groupSize` share a task with intra-group correlation ρ: n / (1
 * + (G − 1)ρ).
 */
export function effectiveEpisodes(numEpisodes: number, groupSize: number, correlation: number): number {
  return numEpisodes / (1 + (groupSize - 1) * correlation);
}

/** Standard error of T(p) for `numEffective` independent episodes, after a median of `window` values. */
export function arcsineError(numEffective: number, window = 1): number {
  const one = 1 / (2 * Math.sqrt(numEffective));
  return window === 1 ? one : (medianNoise * one) / Math.sqrt(window);
}
