import { split, type Rng } from "#trainer/spec/rng.ts";
import type { Axis } from "./axis.ts";
import { growTree, type Tree } from "./tree.ts";

export type Observations = { axes: readonly Axis[]; /** Shape (N,). */ targets: Float64Array };

export type Forest = {
  trees: { tree: Tree; /** Shape (N,): 1 for out-of-bag runs, not in the tree's sample. */ isOut: Uint8Array }[];
};

export type ForestOptions = { seed: number; numTrees: number };

/**
 * Maximum number of leaves per tree, because the analysis time is quadratic in them. With more runs, a leaf contains
 * several.
 */
const maxLeaves = 256;

/** Grows bagged regression trees (Breiman 2001). Every axis is tried at every node, as in scikit-learn's regressor. */
export function growForest({ axes, targets }: Observations, { seed, numTrees }: ForestOptions): Forest {
  const numRuns = targets.length;
  const minLeaf = Math.max(1, Math.ceil(numRuns / maxLeaves));
  const trees = Array.from({ length: numTrees }, (_, i) => {
    const rng = split(seed, "forest", i);
    const weights = drawWeights(numRuns, rng);
    const runs = Int32Array.from(weights.keys()).filter((run) => (weights[run] ?? 0) > 0);
    const tree = growTree({ axes, targets, weights }, runs, { rng, minLeaf });
    return { tree, isOut: Uint8Array.from(weights, (weight) => (weight === 0 ? 1 : 0)) };
  });
  return { trees };
}

/** Draws N of N runs with replacement; returns how often each run was drawn. */
function drawWeights(numRuns: number, rng: Rng): Int32Array {
  const weights = new Int32Array(numRuns);
  for (let i = 0; i < numRuns; i++) {
    const run = rng.int(numRuns);
    weights[run] = (weights[run] ?? 0) + 1;
  }
  return weights;
}
