import { median } from "#packages/statistics";

/**
 * Returns the robust standard deviation: median absolute deviation × 1.4826, which equals the standard deviation for
 * normal values.
 */
export function robustStd(values: readonly number[]): number {
  const centre = median(values);
  const deviations = values.slice();
  for (let i = 0; i < deviations.length; i++) deviations[i] = Math.abs((values[i] ?? NaN) - centre);
  return 1.4826 * median(deviations);
}

/**
 * Estimates the noise of a series around its trend: the robust deviation of consecutive differences, divided by √2
 * because each difference contains the noise of two values.
 */
export function noiseOf(values: readonly number[]): number {
  return robustStd(stepsOf(values)) / Math.SQRT2;
}

/** Returns the differences of consecutive values, (N,) → (N − 1,). */
export function stepsOf(values: readonly number[]): number[] {
  const steps = values.slice(1);
  for (let i = 0; i < steps.length; i++) steps[i] = (values[i + 1] ?? NaN) - (values[i] ?? NaN);
  return steps;
}

/**
 * Returns the Theil–Sen slope: the median slope over pairs of values at 0, 1, 2, … (Theil 1950, Sen 1968). Only pairs
 * an odd number of steps apart are used, which is half of all pairs.
 */
export function theilSenSlope(values: readonly number[]): number {
  const slopes: number[] = [];
  for (const [i, from] of values.entries()) {
    for (let gap = 1; i + gap < values.length; gap += 2) slopes.push(((values[i + gap] ?? NaN) - from) / gap);
  }
  return median(slopes);
}

export function clamp(x: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, x));
}

/** Appends a value and drops the oldest values beyond `numKept`. */
export function keep<T extends number | boolean>(values: readonly T[], value: T, numKept: number): T[] {
  if (values.length !== numKept) return [...values.slice(Math.max(0, values.length - numKept + 1)), value];
  // The list is nearly always full. Shifting a copy of equal length is then four times as fast as spreading.
  const kept = values.slice();
  for (let i = 1; i < numKept; i++) kept[i - 1] = values[i] ?? value;
  kept[numKept - 1] = value;
  return kept;
}

/** Standard error of a median relative to that of a mean, √(π/2), for normal noise. */
export const medianNoise = 1.2533;

/**
 * Maps a rate to the arcsine scale T(p) = asin √p. The variance of an observed rate on this scale is 1/(4n),
 * independent of the rate.
 */
export function toArcsine(rate: number): number {
  return Math.asin(Math.sqrt(Math.min(1, Math.max(0, rate))));
}

/**
 * Returns the effective number of independent episodes, n / (1 + (G − 1)ρ), if groups of G episodes share a task with
 * intra-group correlation ρ.
 */
export function effectiveEpisodes(numEpisodes: number, groupSize: number, correlation: number): number {
  return numEpisodes / (1 + (groupSize - 1) * correlation);
}

/**
 * Returns the standard error of T(p) = asin √p for `numEffective` independent episodes per value, after taking the
 * median of `window` values.
 */
export function arcsineError(numEffective: number, window = 1): number {
  const one = 1 / (2 * Math.sqrt(numEffective));
  return window === 1 ? one : (medianNoise * one) / Math.sqrt(window);
}
