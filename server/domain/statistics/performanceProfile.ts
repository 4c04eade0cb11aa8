import { percentileInterval, resample, type BootstrapOptions } from "./bootstrap.ts";
import type { Interval } from "./rates.ts";
import type { Scores } from "./scores.ts";
import { mean } from "./summary.ts";

/** (T,) share of all runs with a score above each threshold: read where curves cross, not only where they end. */
export function performanceProfile(scores: Scores, thresholds: readonly number[]): number[] {
  return shareAbove(scores.flat(), thresholds);
}

/** (T,) share of tasks whose mean score is above each threshold. Hides the spread over seeds. */
export function taskMeanProfile(scores: Scores, thresholds: readonly number[]): number[] {
  return shareAbove(scores.map(mean), thresholds);
}

/** (T,) pointwise bootstrap intervals of the profile. 2,000 resamples are enough for a band. */
export function bootstrapProfile(
  scores: Scores,
  thresholds: readonly number[],
  { seed = 0, numResamples = 2000, level = 0.95 }: BootstrapOptions = {},
): Interval[] {
  const profiles = Array.from(resample(scores, { seed, numResamples }).draws, (drawn) =>
    performanceProfile(drawn, thresholds),
  );
  return thresholds.map((_, t) => {
    const replicates = profiles.map((profile) => profile[t] ?? NaN);
    return percentileInterval(replicates, level);
  });
}

function shareAbove(values: readonly number[], thresholds: readonly number[]): number[] {
  return thresholds.map((threshold) => values.filter((x) => x > threshold).length / values.length);
}
