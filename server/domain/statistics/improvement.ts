import { bootstrap, type Bootstrap, type BootstrapOptions } from "./bootstrap.ts";
import { commonLanguageEffect, winShare } from "./effectSize.ts";
import { toRanks } from "./ranks.ts";
import type { Scores } from "./scores.ts";
import { mean } from "./summary.ts";

/**
 * Chance that a run of x beats a run of y on a task, ties counted half, averaged over tasks (rliable). Both (K, N).
 * @testing
 */
export function probabilityOfImprovement(x: Scores, y: Scores): number {
  return mean(x.map((scores, task) => commonLanguageEffect(scores, y[task] ?? [])));
}

/** The same with a bootstrap interval: both methods' seeds are drawn anew within each task, independently. */
export function bootstrapImprovement(x: Scores, y: Scores, options: BootstrapOptions = {}): Bootstrap {
  const numTasks = x.length;
  const { rankOf, improvementOf } = prepareImprovement(x, y);
  const ranks = [x, y].flatMap((scores) => scores.map((values, task) => values.map((value) => rankOf(value, task))));
  return bootstrap(ranks, (drawn) => improvementOf(drawn.slice(0, numTasks), drawn.slice(numTasks)), options);
}

/** Which value is greater depends on order alone: values are sorted once, and resamples hold their ranks, which are counted. */
export function prepareImprovement(
  x: Scores,
  y: Scores,
): {
  /** The rank of a task's value among all of them. */
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
