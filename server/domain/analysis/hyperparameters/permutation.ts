import { split } from "#trainer/spec/rng.ts";
import { mean, squaredDeviations } from "#packages/statistics";
import { shuffle } from "./cut.ts";
import type { Forest, Observations } from "./forest.ts";
import { predict } from "./tree.ts";

export type OutOfBag = {
  /** R² on out-of-bag runs; negative if the forest predicts worse than the mean. */
  score: number;
  /** Drop of R² when a parameter is shuffled among runs, shape (P, repeats). */
  losses: number[][];
};

/**
 * Computes permutation importance (Breiman 2001) on out-of-bag runs: trees not trained on a run predict it with its own
 * and with another run's value. Equals scikit-learn's `permutation_importance` with out-of-bag R².
 */
export function permuteOutOfBag(
  { trees }: Forest,
  { axes, targets }: Observations,
  { seed, numRepeats }: { seed: number; numRepeats: number },
): OutOfBag {
  const unchanged = [Int32Array.from(targets.keys())];
  const score = scoresOf({ trees }, { axes, targets }, { axisIndex: -1, orders: unchanged })[0] ?? NaN;
  const losses = axes.map((_, axisIndex) => {
    const orders = Array.from({ length: numRepeats }, (_, repeat) =>
      shuffle(targets.length, split(seed, "permutation", axisIndex, repeat)),
    );
    return scoresOf({ trees }, { axes, targets }, { axisIndex, orders }).map((shuffled) => score - shuffled);
  });
  return { score, losses };
}

/** Returns out-of-bag R² for each order of runs from which one axis takes its values. */
function scoresOf(
  { trees }: Forest,
  { axes, targets }: Observations,
  { axisIndex, orders }: { axisIndex: number; orders: readonly Int32Array[] },
): number[] {
  const sums = orders.map(() => new Float64Array(targets.length));
  const counts = new Int32Array(targets.length);
  const levelOf = axes[axisIndex]?.levelOf;
  // Predictions are cached by level of the shuffled axis, because shuffles repeat few levels.
  const known = new Float64Array(axes[axisIndex]?.levels.length ?? 1);
  for (const { tree, isOut } of trees) {
    for (let run = 0; run < targets.length; run++) {
      if (isOut[run] === 0) continue;
      counts[run] = (counts[run] ?? 0) + 1;
      known.fill(NaN);
      for (let i = 0; i < orders.length; i++) {
        const [from, sum] = [orders[i]?.[run] ?? run, sums[i]];
        const level = levelOf?.[from] ?? 0;
        let value = known[level] ?? NaN;
        if (Number.isNaN(value)) {
          value = predict(tree, axes, { run, swapped: axisIndex, from });
          known[level] = value;
        }
        if (sum) sum[run] = (sum[run] ?? 0) + value;
      }
    }
  }
  return sums.map((sum) => determination(targets, sum, counts));
}

/** Computes R² over the runs that are out of bag for a tree. `sums`: their summed predictions. */
function determination(targets: Float64Array, sums: Float64Array, counts: Int32Array): number {
  const runs = Array.from(targets.keys()).filter((run) => (counts[run] ?? 0) > 0);
  const seen = runs.map((run) => targets[run] ?? 0);
  const squares = runs.map((run) => ((targets[run] ?? 0) - (sums[run] ?? 0) / (counts[run] ?? 1)) ** 2);
  return 1 - (mean(squares) * squares.length) / squaredDeviations(seen);
}
