import { median } from "#packages/statistics";
import { noiseOf, stepsOf } from "./robust.ts";

/**
 * Minimum range of a reward, in noise standard deviations. The range is the rise to the peak, because a reward's zero
 * is arbitrary. For comparison: a success rate of .7 over 75 episodes is twelve standard errors above 0.
 */
export const rewardNoises = 12;

/** Range of a reward from its rise to the peak and its noise, in its units; 0 if it never moved. */
export function rangeOf(climb: number, noise: number): number {
  return Math.max(climb, rewardNoises * noise, 0);
}

/**
 * Estimates the noise of a reward, in its units. If most differences between steps are equal, as in a periodic
 * ripple, their robust deviation is 0 although the reward moves. The root mean square around the median is then used.
 */
export function rewardNoise(values: readonly number[]): number {
  const noise = noiseOf(values);
  if (noise > 0) return noise;
  const steps = stepsOf(values);
  if (steps.length === 0) return 0;
  const centre = median(steps);
  return Math.hypot(...steps.map((step) => step - centre)) / Math.sqrt(2 * steps.length);
}

/** Lowest value so far, of medians of three neighbours: an outlier is no start of the rise. (N,) → (N,) */
export function lowestSoFar(values: readonly number[]): number[] {
  let lowest = Infinity;
  return values.map((_, i) => {
    const end = Math.max(3, i + 1);
    lowest = Math.min(lowest, median(values.slice(end - 3, end)));
    return lowest;
  });
}
