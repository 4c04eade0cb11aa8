import { mean, quantiles } from "#packages/statistics";
import { analyseTree, type Variances } from "./anova.ts";
import { growForest, type Observations } from "./forest.ts";
import { permuteOutOfBag } from "./permutation.ts";

/** Mean over trees or shuffles, and the central 95 % of the values. */
export type Spread = { mean: number; low: number; high: number };

export type Importance = {
  numTrees: number;
  /** Out-of-bag R²: how well the forest predicts runs it was not trained on. */
  score: number;
  /** Fraction of the forest's variance due to each parameter alone, (P,); mean and spread over trees. */
  mains: Spread[];
  /** Drop of out-of-bag R² when a parameter is shuffled, (P,); mean and spread over shuffles. */
  losses: Spread[];
  /** Interaction fractions of two parameters beyond their main effects, largest first. */
  pairs: { axes: [number, number]; share: Spread }[];
  /** Fraction due to interactions of three or more parameters. */
  higher: number;
};

export type ImportanceOptions = { seed?: number; numTrees?: number; numRepeats?: number };

/** Importance of each parameter for an outcome. Undefined if every tree is a single leaf: the outcome does not vary. */
export function measureImportance(
  observations: Observations,
  { seed = 0, numTrees = 128, numRepeats = 20 }: ImportanceOptions = {},
): Importance | undefined {
  const forest = growForest(observations, { seed, numTrees });
  const all = forest.trees.map(({ tree }) => analyseTree(tree, observations.axes));
  const variances = all.filter(({ total }) => total > 0);
  if (variances.length === 0) return undefined;
  const { score, losses } = permuteOutOfBag(forest, observations, { seed, numRepeats });
  const mains = observations.axes.map((_, u) => variances.map((one) => (one.mains[u] ?? 0) / one.total));
  const pairs = sharesOfPairs(variances, observations.axes.length);
  const explained = [...mains, ...pairs.map(({ shares }) => shares)].reduce((sum, shares) => sum + mean(shares), 0);
  return {
    numTrees: variances.length,
    score,
    mains: mains.map(spread),
    losses: losses.map(spread),
    pairs: pairs
      .map(({ axes, shares }) => ({ axes, share: spread(shares) }))
      .sort((a, b) => b.share.mean - a.share.mean),
    higher: Math.max(0, 1 - explained),
  };
}

function sharesOfPairs(
  variances: readonly Variances[],
  numAxes: number,
): { axes: [number, number]; shares: number[] }[] {
  return Array.from({ length: numAxes * numAxes }, (_, i): [number, number] => [Math.floor(i / numAxes), i % numAxes])
    .filter(([u, v]) => u < v)
    .map(([u, v]) => ({
      axes: [u, v],
      shares: variances.map(({ pairs, total }) => (pairs[u * numAxes + v] ?? 0) / total),
    }));
}

function spread(values: readonly number[]): Spread {
  const [low = NaN, high = NaN] = quantiles(values, [0.025, 0.975]);
  return { mean: mean(values), low, high };
}
