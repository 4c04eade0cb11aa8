import type { Scores } from "./scores.ts";

/** (T,) share of all runs with a score above each threshold: read where curves cross, not only where they end. */
export function performanceProfile(scores: Scores, thresholds: readonly number[]): number[] {
  return shareAbove(scores.flat(), thresholds);
}

function shareAbove(values: readonly number[], thresholds: readonly number[]): number[] {
  return thresholds.map((threshold) => values.filter((x) => x > threshold).length / values.length);
}
