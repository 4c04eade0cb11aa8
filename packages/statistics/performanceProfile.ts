import type { Scores } from "./scores.ts";

/** Fraction of all runs with a score above each threshold, (T,). Compare whole curves, including where they cross. */
export function performanceProfile(scores: Scores, thresholds: readonly number[]): number[] {
  return shareAbove(scores.flat(), thresholds);
}

function shareAbove(values: readonly number[], thresholds: readonly number[]): number[] {
  return thresholds.map((threshold) => values.filter((x) => x > threshold).length / values.length);
}
