import { split } from "#trainer/spec/rng.ts";
import { mean, squaredDeviations } from "#server/domain/statistics/summary.ts";
import type { Forest, Observations } from "./forest.ts";
import { predict } from "./tree.ts";

export type OutOfBag = {
  /** R² on out-of-bag runs; below 0 the forest is worse than the mean. */
  score: number;
  /** Drop of that R² when a parameter's values are shuffled among runs, (P, repeats). */
  losses: number[][];
};

/**
 * Permutation importance (Breiman 2001) on out-of-bag runs: each run is predicted by the trees not trained on it, once
 * with its own value and once with another run's. Like scikit-learn's `permutation_importance` with out-of-bag R².
 */
export function permuteOutOfBag(
  { trees }: Forest,
  { axes, targets }: Observations,
  { seed, numRepeats }: { seed: number; numRepeats: number },
): OutOfBag {
  const scoreOf = (swapped?: number, order?: Int32Array) => {
    const sums = new Float64Array(targets.length);
    const counts = new Int32Array(targets.length);
    for (const { tree, isOut } of trees) {
      for (let run = 0; run < targets.length; run++) {
        if (isOut[run] === 0) continue;
        const at = swapped === undefined ? { run } : { run, swapped, from: order?.[run] ?? run };
        sums[run] = (sums[run] ?? 0) + predict(tree, axes, at);
        counts[run] = (counts[run] ?? 0) + 1;
      }
    }
    return determination(targets, sums, counts);
  };
  const score = scoreOf();
  const losses = axes.map((_, axisIndex) =>
    Array.from({ length: numRepeats }, (_, repeat) => {
      const rng = split(seed, "permutation", axisIndex, repeat);
      const order = Int32Array.from(targets.keys());
      for (let i = order.length - 1; i > 0; i--) {
        const j = rng.int(i + 1);
        [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
      }
      return score - scoreOf(axisIndex, order);
    }),
  );
  return { score, losses };
}

/** R² over runs that are out of the bag of at least one tree. */
function determination(targets: Float64Array, sums: Float64Array, counts: Int32Array): number {
  const runs = Array.from(targets.keys()).filter((run) => (counts[run] ?? 0) > 0);
  const seen = runs.map((run) => targets[run] ?? 0);
  const squares = runs.map((run) => ((targets[run] ?? 0) - (sums[run] ?? 0) / (counts[run] ?? 1)) ** 2);
  return 1 - (mean(squares) * squares.length) / squaredDeviations(seen);
}
