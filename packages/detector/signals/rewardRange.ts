import { median } from "#packages/statistics";
import { noiseOf, stepsOf } from "./robust.ts";

/**
 * Range of a reward, whose zero is arbitrary: its climb to the peak, or this many noise scales if the climb is smaller.
 * A success rate of 75 episodes has a standard error of .058 around one half, so a peak of .7 is twelve noise scales. A
 * constant added to the reward changes nothing.
 */
export const rewardNoises = 12;

/** `climb` and `noise` in units of the reward; 0 if it never moved. */
export function rangeOf(climb: number, noise: number): number {
  return Math.max(climb, rewardNoises * noise, 0);
}

/**
 * Noise of a reward in its units. If most steps are equal, as in a periodic ripple, their robust deviation is 0
 * although the reward moves; then the root mean square around the median counts.
 */
export function rewardNoise(values: readonly number[]): number {
  const noise = noiseOf(values);
  if (noise > 0) return noise;
  const steps = stepsOf(values);
  if (steps.length === 0) return 0;
  const centre = median(steps);
  return Math.hypot(...steps.map((step) => step - centre)) / Math.sqrt(2 * steps.length);
}

/**
 * Lowest value so far at each point, over medians of three neighbours, so that an outlier does not count as a start of
 * the climb. (N,) → (N,)
 */
export function lowestSoFar(values: readonly number[]): number[] {
  let lowest = Infinity;
  return values.map((_, i) => {
    const end = Math.max(3, i + 1);
    lowest = Math.min(lowest, median(values.slice(end - 3, end)));
    return lowest;
  });
}
