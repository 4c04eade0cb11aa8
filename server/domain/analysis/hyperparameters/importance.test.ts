import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { groupBy } from "#packages/base";
import { analyseTree, measureImportance } from "./importance.ts";
import { namedAxis, numericAxis, type Axis } from "./axis.ts";
import { growForest } from "./forest.ts";
import { functions, numTrees } from "./testing/fixtures.ts";
import { goesLow, growTree, predict, type Tree } from "./tree.ts";

const column = (rows: readonly (readonly number[])[], index: number) => rows.map((row) => row[index] ?? NaN);

describe.each(functions)("against optuna and scikit-learn: $name", ({ inputs, outcomes, ...expected }) => {
  const axes = (inputs[0] ?? []).map((_, i) => numericAxis(column(inputs, i), "interval"));
  const found = measureImportance({ axes, targets: Float64Array.from(outcomes) }, { numTrees, seed: 7 });
  if (!found) throw new Error("the outcome varies");
  // The studio's forest is one more random sample, so the tolerance is four standard deviations over seeds. Where these
  // are almost 0, it is half a percentage point.
  const agree = (value: number, [mean = NaN, std = NaN]: readonly (number | undefined)[]) => {
    expect(Math.abs(value - mean), `${value} and ${mean} ± ${std}`).toBeLessThanOrEqual(4 * std + 0.005);
  };

  it("the same main effects", () => {
    for (const [i, { mean }] of found.mains.entries()) agree(mean, [expected.mains[0][i], expected.mains[1][i]]);
  });

  it("the same pairs", () => {
    const inOrder = found.pairs.toSorted((a, b) => a.axes[0] - b.axes[0] || a.axes[1] - b.axes[1]);
    for (const [i, { share }] of inOrder.entries()) agree(share.mean, [expected.pairs[0][i], expected.pairs[1][i]]);
  });

  it("the same score and losses out of the bag", () => {
    agree(found.score, expected.score);
    for (const [i, { mean }] of found.losses.entries()) agree(mean, [expected.losses[0][i], expected.losses[1][i]]);
  });
});

/** Computes main effects and pairs by brute force, from predictions for every combination of levels. */
function sharesByGrid(tree: Tree, axes: readonly Axis[]): { total: number; mains: number[]; pairs: number[] } {
  const points = axes.reduce<number[][]>(
    (all, { levels }) => all.flatMap((point) => Array.from(levels.keys(), (level) => [...point, level])),
    [[]],
  );
  const at = (point: readonly number[]) => {
    let node = tree;
    while (node.kind === "branch") {
      const axis = axes[node.axisIndex];
      if (!axis) throw new Error("axis");
      const there = { ...axis, levelOf: Int32Array.of(point[node.axisIndex] ?? 0) };
      node = goesLow(node.split, there, 0) ? node.low : node.high;
    }
    return node.value;
  };
  const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
  const spread = (of: readonly number[]) => {
    const groups = groupBy(points, (point) => of.map((axis) => point[axis]).join());
    const means = [...groups.values()].map((group) => mean(group.map(at)));
    return mean(means.map((x) => (x - mean(means)) ** 2));
  };
  const mains = axes.map((_, u) => spread([u]));
  const pairs = axes.flatMap((_, u) =>
    axes.flatMap((_, v) => (u < v ? [spread([u, v]) - (mains[u] ?? 0) - (mains[v] ?? 0)] : [])),
  );
  return { total: spread([...axes.keys()]), mains, pairs };
}

/** Makes 60 runs of three methods, four learning rates and three batch sizes. */
function mixed(): { axes: Axis[]; targets: Float64Array } {
  const rng = split(3, "mixed");
  const rows = Array.from({ length: 60 }, () => [rng.int(3), rng.int(4), rng.int(3)]);
  const targets = Float64Array.from(rows, ([a = 0, b = 0, c = 0]) => (a === 1 ? 5 : 0) * b + c + rng.normal());
  const axes = [
    namedAxis(rows.map(([a]) => `method ${a}`)),
    numericAxis(
      rows.map(([, b = 0]) => 10 ** -b),
      "ordered",
    ),
    numericAxis(
      rows.map(([, , c = 0]) => 2 ** c),
      "ordered",
    ),
  ];
  return { axes, targets };
}

describe("functional analysis of variance", () => {
  it("of a tree is what predicting every combination gives, names and grids included", () => {
    const { axes, targets } = mixed();
    for (const { tree } of growForest({ axes, targets }, { seed: 1, numTrees: 5 }).trees) {
      const { total, mains, pairs } = analyseTree(tree, axes);
      const expected = sharesByGrid(tree, axes);
      expect(total).toBeCloseTo(expected.total, 9);
      expect([...mains]).toEqual(expected.mains.map((x) => expect.closeTo(x, 9)));
      expect([pairs[1], pairs[2], pairs[5]]).toEqual(expected.pairs.map((x) => expect.closeTo(x, 9)));
    }
  });

  it("weighs every level of a grid alike: 144, 25 and 9 of 178 for 60 + 12A + 5B + 3AB", () => {
    const signs = [-1, 1].flatMap((a) => [-1, 1].flatMap((b) => Array.from({ length: 8 }, () => [a, b] as const)));
    const axes = [numericAxis(column(signs, 0), "ordered"), numericAxis(column(signs, 1), "ordered")];
    const targets = Float64Array.from(signs, ([a, b]) => 60 + 12 * a + 5 * b + 3 * a * b);
    const found = measureImportance({ axes, targets }, { numRepeats: 2 });
    expect(found?.mains.map(({ mean }) => mean)).toEqual([144, 25].map((x) => expect.closeTo(x / 178, 9)));
    expect(found?.pairs[0]).toEqual({
      axes: [0, 1],
      share: expect.objectContaining({ mean: expect.closeTo(9 / 178, 9) }),
    });
    expect(found?.score).toBeCloseTo(1, 9);
    expect(found?.higher).toBeCloseTo(0, 9);
  });

  it("has nothing to share out where all runs ended alike", () => {
    const { axes } = mixed();
    expect(measureImportance({ axes, targets: new Float64Array(60).fill(3) })).toBeUndefined();
  });
});

describe("a forest", () => {
  it("is the same for the same seed and another for another", () => {
    const observations = mixed();
    const [one, same, other] = [5, 5, 6].map((seed) =>
      measureImportance(observations, { seed, numTrees: 8, numRepeats: 2 }),
    );
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
  });

  it("says of pure noise that it can say nothing of runs that it has not seen", () => {
    const rng = split(11, "noise");
    const { axes, targets } = mixed();
    const found = measureImportance({ axes, targets: targets.map(() => rng.normal()) }, { numRepeats: 2 });
    expect(found?.score).toBeLessThan(0.1);
  });

  it("sends a name that a node has not seen with the larger part of its runs", () => {
    const axis = namedAxis(["a", "a", "a", "b", "c"]);
    const sample = { axes: [axis], targets: Float64Array.of(1, 1, 1, 9, 0), weights: Int32Array.of(1, 1, 1, 1, 0) };
    const tree = growTree(sample, Int32Array.of(0, 1, 2, 3), { rng: split(0), minLeaf: 1 });
    expect([0, 3, 4].map((run) => predict(tree, [axis], { run }))).toEqual([1, 9, 1]);
  });
});
