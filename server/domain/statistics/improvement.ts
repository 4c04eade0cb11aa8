import { bootstrap, type Bootstrap, type BootstrapOptions } from "./bootstrap.ts";
import { commonLanguageEffect, winShare } from "./effectSize.ts";
import { toPlaces } from "./ranks.ts";
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
  const { placeOf, improvementOf } = prepareImprovement(x, y);
  const places = [x, y].flatMap((scores) => scores.map((own, task) => own.map((value) => placeOf(value, task))));
  return bootstrap(places, (drawn) => improvementOf(drawn.slice(0, numTasks), drawn.slice(numTasks)), options);
}

/** Who beats whom depends on order alone: values are sorted once, and resamples hold their places, which are counted. */
export function prepareImprovement(
  x: Scores,
  y: Scores,
): {
  /** The place of a task's value among all of them. */
  placeOf: (value: number, task: number) => number;
  /** `probabilityOfImprovement` of resamples, (K, N) places. */
  improvementOf: (x: Scores, y: Scores) => number;
} {
  const places = x.map((scores, task) => toPlaces([...scores, ...(y[task] ?? [])]));
  const counts = places.map(({ size }) => new Uint32Array(2 * size));
  return {
    placeOf: (value, task) => places[task]?.get(value) ?? NaN,
    improvementOf: (drawnOfX, drawnOfY) =>
      mean(counts.map((room, task) => winShare(drawnOfX[task] ?? [], drawnOfY[task] ?? [], room))),
  };
}
