import { bootstrap, type Bootstrap, type BootstrapOptions } from "./bootstrap.ts";
import { commonLanguageEffect, winShare } from "./effectSize.ts";
import { toRanks } from "./ranks.ts";
import type { Scores } from "./scores.ts";
import { mean } from "./summary.ts";

/**
 * Probability that a run of x beats a run of y on a task, ties counted half, averaged over tasks (rliable). Both (K,
 * N). @testing
 */
export function probabilityOfImprovement(x: Scores, y: Scores): number {
  return mean(x.map((scores, task) => commonLanguageEffect(scores, y[task] ?? [])));
}

/**
 * `probabilityOfImprovement` with a bootstrap interval: seeds of both methods are resampled independently within each
 * task.
 */
export function bootstrapImprovement(x: Scores, y: Scores, options: BootstrapOptions = {}): Bootstrap {
  const numTasks = x.length;
  const { rankOf, improvementOf } = prepareImprovement(x, y);
  const ranks = [x, y].flatMap((scores) => scores.map((values, task) => values.map((value) => rankOf(value, task))));
  return bootstrap(ranks, (drawn) => improvementOf(drawn.slice(0, numTasks), drawn.slice(numTasks)), options);
}

/** Depends only on the order of values: they are sorted once, and resamples contain ranks, which are counted. */
export function prepareImprovement(
  x: Scores,
  y: Scores,
): {
  /** Rank of a value among all values of its task. */
  rankOf: (value: number, task: number) => number;
  /** `probabilityOfImprovement` of resamples, (K, N) ranks. */
  improvementOf: (x: Scores, y: Scores) => number;
} {
  const ranks = x.map((scores, task) => toRanks([...scores, ...(y[task] ?? [])]));
  const counts = ranks.map(({ size }) => new Uint32Array(2 * size));
  return {
    rankOf: (value, task) => ranks[task]?.get(value) ?? NaN,
    improvementOf: (drawnOfX, drawnOfY) =>
      mean(counts.map((room, task) => winShare(drawnOfX[task] ?? [], drawnOfY[task] ?? [], room))),
  };
}
