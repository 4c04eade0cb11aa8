import { mean, quantiles } from "#packages/statistics";
import { type Axis, countBits, measure, type Side, wholeSide } from "./axis.ts";
import type { Split } from "./cut.ts";
import { growForest, type Observations } from "./forest.ts";
import { permuteOutOfBag } from "./permutation.ts";
import { lowMask, type Tree } from "./tree.ts";

/** Mean and central 95 % over trees or shuffles. */
export type Spread = { mean: number; low: number; high: number };

export type Importance = {
  numTrees: number;
  /** Out-of-bag R²: how well the forest predicts runs it was not trained on. */
  score: number;
  /** Fraction of variance due to each parameter alone, shape (P,), over trees. */
  mains: Spread[];
  /** Drop of out-of-bag R² when a parameter is shuffled, shape (P,), over shuffles. */
  losses: Spread[];
  /** Fraction of variance due to the interaction of two parameters, largest first. */
  pairs: { axes: [number, number]; share: Spread }[];
  /** Fraction of variance due to interactions of three or more parameters. */
  higher: number;
};

export type ImportanceOptions = { seed?: number; numTrees?: number; numRepeats?: number };

/** Measures importance with a random forest. Undefined if every tree is a single leaf, as for a constant outcome. */
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

/** Variance of one tree's prediction over the parameter space, and its parts. */
type Variances = {
  total: number;
  /** Main effects, shape (P,). */
  mains: Float64Array;
  /** Interactions beyond main effects, shape (P, P), above the diagonal. */
  pairs: Float64Array;
};

/** Leaves as boxes in the parameter space, in flat arrays of shape (L, P) for the loop over pairs. */
type Boxes = {
  numLeaves: number;
  /** Leaf values minus their mean, shape (L,). */
  values: Float64Array;
  /** Fraction of the parameter space that each leaf covers, shape (L,). */
  weights: Float64Array;
  lows: Float64Array;
  highs: Float64Array;
  masks: Int32Array;
  measures: Float64Array;
};

/**
 * Computes the exact functional ANOVA of a regression tree (Hutter, Hoos, Leyton-Brown 2014). A marginal of some
 * parameters u is the mean over all others. With leaf values v and space fractions w: E[marginal²] = Σ_l Σ_m v_l w_l
 * v_m w_m Π_u |l_u ∩ m_u| / (|l_u| |m_u|).
 */
export function analyseTree(tree: Tree, axes: readonly Axis[]): Variances {
  const boxes = toBoxes(tree, axes);
  const numAxes = axes.length;
  const mains = new Float64Array(numAxes);
  const pairs = new Float64Array(numAxes * numAxes);
  const ratios = new Float64Array(numAxes);
  let total = 0;
  for (let l = 0; l < boxes.numLeaves; l++) {
    const factor = (boxes.values[l] ?? 0) * (boxes.weights[l] ?? 0);
    total += factor * (boxes.values[l] ?? 0);
    for (let m = l; m < boxes.numLeaves; m++) {
      const both = (m === l ? 1 : 2) * factor * (boxes.values[m] ?? 0) * (boxes.weights[m] ?? 0);
      if (both === 0) continue;
      for (let u = 0; u < numAxes; u++) ratios[u] = overlap(boxes, { l: l * numAxes + u, m: m * numAxes + u }, axes[u]);
      for (let u = 0; u < numAxes; u++) {
        const share = both * (ratios[u] ?? 0);
        if (share === 0) continue;
        mains[u] = (mains[u] ?? 0) + share;
        for (let v = u + 1; v < numAxes; v++) {
          pairs[u * numAxes + v] = (pairs[u * numAxes + v] ?? 0) + share * (ratios[v] ?? 0);
        }
      }
    }
  }
  return withoutMains({ total, mains, pairs });
}

/** Subtracts the two main effects from each pair's variance; at least 0. */
function withoutMains({ total, mains, pairs }: Variances): Variances {
  const numAxes = mains.length;
  const beyond = pairs.map((both, i) => {
    const [u, v] = [Math.floor(i / numAxes), i % numAxes];
    return u < v ? Math.max(0, both - (mains[u] ?? 0) - (mains[v] ?? 0)) : 0;
  });
  return { total, mains: mains.map((main) => Math.max(0, main)), pairs: beyond };
}

/** Computes |l ∩ m| / (|l| |m|) for the extents of leaves l and m along one axis. */
function overlap(boxes: Boxes, { l, m }: { l: number; m: number }, axis: Axis | undefined): number {
  if (!axis) return 0;
  const product = (boxes.measures[l] ?? 1) * (boxes.measures[m] ?? 1);
  if (axis.kind !== "interval") {
    return countBits((boxes.masks[l] ?? 0) & (boxes.masks[m] ?? 0)) / (axis.levels.length * product);
  }
  const low = Math.max(boxes.lows[l] ?? 0, boxes.lows[m] ?? 0);
  const high = Math.min(boxes.highs[l] ?? 0, boxes.highs[m] ?? 0);
  return high <= low ? 0 : (high - low) / (((axis.levels.at(-1) ?? 0) - (axis.levels[0] ?? 0)) * product);
}

type Leaf = { value: number; sides: readonly Side[] };

function toBoxes(tree: Tree, axes: readonly Axis[]): Boxes {
  const leaves = listLeaves(tree, axes, axes.map(wholeSide));
  const sides = leaves.flatMap((leaf) => leaf.sides);
  const measures = Float64Array.from(sides, (side, i) => measure(side, axisAt(axes, i % axes.length)));
  const weights = Float64Array.from(leaves, (_, l) =>
    measures.subarray(l * axes.length, (l + 1) * axes.length).reduce((product, share) => product * share, 1),
  );
  const mean = leaves.reduce((sum, { value }, l) => sum + value * (weights[l] ?? 0), 0);
  return {
    numLeaves: leaves.length,
    values: Float64Array.from(leaves, ({ value }) => value - mean),
    weights,
    lows: Float64Array.from(sides, (side) => (side.kind === "between" ? side.low : 0)),
    highs: Float64Array.from(sides, (side) => (side.kind === "between" ? side.high : 0)),
    masks: Int32Array.from(sides, (side) => (side.kind === "among" ? side.mask : 0)),
    measures,
  };
}

function listLeaves(tree: Tree, axes: readonly Axis[], sides: readonly Side[]): Leaf[] {
  if (tree.kind === "leaf") return [{ value: tree.value, sides }];
  const { axisIndex, split, low, high } = tree;
  const side = sides[axisIndex];
  if (!side) throw new Error(`no axis ${axisIndex}`);
  const parts = cutSide(side, split, axisAt(axes, axisIndex));
  return [
    ...listLeaves(low, axes, sides.with(axisIndex, parts.low)),
    ...listLeaves(high, axes, sides.with(axisIndex, parts.high)),
  ];
}

function cutSide(side: Side, split: Split, axis: Axis): { low: Side; high: Side } {
  if (side.kind === "among") {
    const mask = lowMask(split, axis);
    return { low: { kind: "among", mask: side.mask & mask }, high: { kind: "among", mask: side.mask & ~mask } };
  }
  if (split.kind !== "below") throw new Error("an interval is cut at a threshold");
  return { low: { ...side, high: split.threshold }, high: { ...side, low: split.threshold } };
}

function axisAt(axes: readonly Axis[], index: number): Axis {
  const axis = axes[index];
  if (!axis) throw new Error(`no axis ${index}`);
  return axis;
}
