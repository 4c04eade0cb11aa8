import { bootstrap, type Bootstrap, type BootstrapOptions } from "./bootstrap.ts";
import { commonLanguageEffect } from "./effectSize.ts";
import type { Scores } from "./scores.ts";
import { mean } from "./summary.ts";

/** Chance that a run of x beats a run of y on a task, ties counted half, averaged over tasks (rliable). Both (K, N). */
export function probabilityOfImprovement(x: Scores, y: Scores): number {
  return mean(x.map((scores, task) => commonLanguageEffect(scores, y[task] ?? [])));
}

/** The same with a bootstrap interval: both methods' seeds are drawn anew within each task, independently. */
export function bootstrapImprovement(x: Scores, y: Scores, options: BootstrapOptions = {}): Bootstrap {
  const numTasks = x.length;
  return bootstrap(
    [...x, ...y],
    (drawn) => probabilityOfImprovement(drawn.slice(0, numTasks), drawn.slice(numTasks)),
    options,
  );
}
