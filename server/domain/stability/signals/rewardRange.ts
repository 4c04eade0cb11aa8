import { median } from "#server/domain/statistics/summary.ts";
import { noiseOf, stepsOf } from "./robust.ts";

/**
 * What a reward has to lose, since nobody knows where its zero lies: all that it climbed to its peak, or so many times
 * its noise where it climbed less. A success rate of 75 episodes scatters by .058 around one half, so a peak of .7 is
 * twelve of its noises. No constant that is added to the reward moves it.
 */
export const rewardNoises = 12;

/** `climb` and `noise` in units of the reward; 0 where it never moved. */
export function rangeOf(climb: number, noise: number): number {
  return Math.max(climb, rewardNoises * noise, 0);
}

/**
 * Noise of a reward, in its units. Where most steps are the same, as of a ripple that repeats, the robust deviation of
 * steps is 0 although the reward moves: their root mean square around the median counts there.
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
 * The lowest that a series has been, up to each of its values: of medians of three neighbours, so that one outlier is no
 * depth to have climbed from. (N,) → (N,)
 */
export function lowestSoFar(values: readonly number[]): number[] {
  let lowest = Infinity;
  return values.map((_, i) => {
    const end = Math.max(3, i + 1);
    lowest = Math.min(lowest, median(values.slice(end - 3, end)));
    return lowest;
  });
}
