import { interquartileMean, mean, median, optimalityGap } from "./summary.ts";

/** (K, N) scores by task and seed, of one method. Tasks must share one scale; the number of seeds may differ. */
export type Scores = readonly (readonly number[])[];

/** Interquartile mean over all tasks and seeds together: robust, and needs fewer seeds than a median. */
export function pooledInterquartileMean(scores: Scores): number {
  return interquartileMean(flatten(scores));
}

/** The mean of the tasks' means. */
export function meanOverTasks(scores: Scores): number {
  return mean(scores.map(mean));
}

/** The median of the tasks' means. */
export function medianOverTasks(scores: Scores): number {
  return median(scores.map(mean));
}

export function pooledOptimalityGap(scores: Scores, target = 1): number {
  return optimalityGap(flatten(scores), target);
}

/** `flat` looks into every number whether it is an array; bootstraps do this tens of thousands of times. */
function flatten(scores: Scores): number[] {
  const none: number[] = [];
  return none.concat(...scores);
}
