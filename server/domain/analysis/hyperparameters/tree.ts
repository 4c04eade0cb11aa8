import { maskOf, type Axis } from "./axis.ts";
import { bestCut, type Growth, type Sample, type Split } from "./cut.ts";

export type Tree =
  | { kind: "leaf"; value: number }
  | { kind: "branch"; axisIndex: number; split: Split; low: Tree; high: Tree };

/**
 * Grows a regression tree (Breiman et al. 1984) until no split reduces the squared error. Ties between axes are broken
 * at random, so that trees differ in which of two equivalent axes they choose.
 */
export function growTree(sample: Sample, runs: Int32Array, growth: Growth): Tree {
  const cut = bestCut(sample, runs, growth);
  if (!cut) return { kind: "leaf", value: meanOf(sample, runs) };
  const { axisIndex, split } = cut;
  const axis = sample.axes[axisIndex];
  if (!axis) throw new Error(`no axis ${axisIndex}`);
  const isLow = (run: number) => goesLow(split, axis, run);
  return {
    kind: "branch",
    axisIndex,
    split,
    low: growTree(sample, runs.filter(isLow), growth),
    high: growTree(
      sample,
      runs.filter((run) => !isLow(run)),
      growth,
    ),
  };
}

export function goesLow(split: Split, { levels, levelOf }: Axis, run: number): boolean {
  const level = levelOf[run] ?? 0;
  return split.kind === "below" ? (levels[level] ?? 0) <= split.threshold : ((split.mask >>> level) & 1) === 1;
}

/** Returns the mask of the levels on the low side of a split. */
export function lowMask(split: Split, { levels }: Axis): number {
  if (split.kind === "among") return split.mask;
  return maskOf(Array.from(levels.keys()).filter((level) => (levels[level] ?? 0) <= split.threshold));
}

/** Predicts the outcome of `run`; on the axis `swapped`, the run `from` gives the value. */
export function predict(
  tree: Tree,
  axes: readonly Axis[],
  at: { run: number; swapped?: number; from?: number },
): number {
  let node = tree;
  while (node.kind === "branch") {
    const axis = axes[node.axisIndex];
    if (!axis) throw new Error(`no axis ${node.axisIndex}`);
    const run = node.axisIndex === at.swapped ? (at.from ?? at.run) : at.run;
    node = goesLow(node.split, axis, run) ? node.low : node.high;
  }
  return node.value;
}

function meanOf({ weights, targets }: Sample, runs: Int32Array): number {
  let [sum, weight] = [0, 0];
  for (const run of runs) {
    sum += (weights[run] ?? 0) * (targets[run] ?? 0);
    weight += weights[run] ?? 0;
  }
  return sum / weight;
}
