import { interquartileMean, mean, median, optimalityGap } from "./summary.ts";

/** Scores of one method by task and seed, (K, N), on one scale; numbers of seeds may differ. */
export type Scores = readonly (readonly number[])[];

/** Returns the interquartile mean over all tasks and seeds. It is robust and needs fewer seeds than the median. */
export function pooledInterquartileMean(scores: Scores): number {
  return interquartileMean(flatten(scores));
}

export function meanOverTasks(scores: Scores): number {
  return mean(scores.map(mean));
}

export function medianOverTasks(scores: Scores): number {
  return median(scores.map(mean));
}

export function pooledOptimalityGap(scores: Scores, target = 1): number {
  return optimalityGap(flatten(scores), target);
}

/** Joins all scores. The built-in `flat` tests every number for being an array: slow in ten thousands of calls. */
function flatten(scores: Scores): number[] {
  const none: number[] = [];
  return none.concat(...scores);
}
