import { median } from "#packages/statistics";

/** Robust standard deviation: median absolute deviation × 1.4826, unbiased for normal values. */
export function robustStd(values: readonly number[]): number {
  const centre = median(values);
  const deviations = values.slice();
  for (let i = 0; i < deviations.length; i++) deviations[i] = Math.abs((values[i] ?? NaN) - centre);
  return 1.4826 * median(deviations);
}

/** Noise of a series around its trend: robust deviation of differences, over √2, as each contains two values' noise. */
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
 * Median slope over pairs of values at 0, 1, … (Theil 1950, Sen 1968), here only pairs an odd number of steps apart.
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

/** Maps a rate to the arcsine scale asin √p, on which its variance is 1/(4n) for every p. */
export function toArcsine(rate: number): number {
  return Math.asin(Math.sqrt(Math.min(1, Math.max(0, rate))));
}

/** Effective number of independent episodes, n / (1 + (G − 1)ρ): groups of G share a task, with correlation ρ. */
export function effectiveEpisodes(numEpisodes: number, groupSize: number, correlation: number): number {
  return numEpisodes / (1 + (groupSize - 1) * correlation);
}

/** Standard error of asin √p for a median of `window` values, each of `numEffective` independent episodes. */
export function arcsineError(numEffective: number, window = 1): number {
  const one = 1 / (2 * Math.sqrt(numEffective));
  return window === 1 ? one : (medianNoise * one) / Math.sqrt(window);
}
