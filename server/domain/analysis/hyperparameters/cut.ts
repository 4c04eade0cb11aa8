import type { Rng } from "#trainer/spec/rng.ts";
import type { Axis } from "./axis.ts";

/** Bootstrap sample of runs; the weight of a run is how often it was drawn. */
export type Sample = { axes: readonly Axis[]; targets: Float64Array; weights: Int32Array };

/** Values up to the threshold, or levels in the mask, go to the low side. */
export type Split = { kind: "below"; threshold: number } | { kind: "among"; mask: number };

export type Growth = { rng: Rng; /** Minimum number of different runs in a leaf. */ minLeaf: number };

type Cut = { axisIndex: number; split: Split };

/** Runs of a node by level: levels that occur, number of runs, total weight, weighted sum of targets. */
type Tally = { present: Int32Array; counts: Int32Array; weights: Float64Array; sums: Float64Array };

/** Finds the split with the largest reduction of squared error; undefined if none is allowed. */
export function bestCut(sample: Sample, runs: Int32Array, { rng, minLeaf }: Growth): Cut | undefined {
  if (runs.length < 2 * minLeaf || isPure(sample, runs)) return undefined;
  let best: { gain: number; cut: Cut } | undefined;
  for (const axisIndex of shuffle(sample.axes.length, rng)) {
    const axis = sample.axes[axisIndex];
    const found = axis && cutAxis(axis, tallyRuns(sample, runs, axis), minLeaf);
    if (found && found.gain > (best?.gain ?? 0)) best = { gain: found.gain, cut: { axisIndex, split: found.split } };
  }
  return best?.cut;
}

function isPure({ targets }: Sample, runs: Int32Array): boolean {
  const first = targets[runs[0] ?? 0];
  return runs.every((run) => targets[run] === first);
}

function tallyRuns({ weights, targets }: Sample, runs: Int32Array, { levels, levelOf }: Axis): Tally {
  const counts = new Int32Array(levels.length);
  const totals = new Float64Array(levels.length);
  const sums = new Float64Array(levels.length);
  for (const run of runs) {
    const level = levelOf[run] ?? 0;
    const weight = weights[run] ?? 0;
    counts[level] = (counts[level] ?? 0) + 1;
    totals[level] = (totals[level] ?? 0) + weight;
    sums[level] = (sums[level] ?? 0) + weight * (targets[run] ?? 0);
  }
  const present = new Int32Array(levels.length);
  let numPresent = 0;
  for (let level = 0; level < levels.length; level++) if ((counts[level] ?? 0) > 0) present[numPresent++] = level;
  return { present: present.subarray(0, numPresent), counts, weights: totals, sums };
}

/**
 * Finds the best split along one axis. Names are sorted by mean target; the best partition splits that order in two
 * (Breiman et al. 1984, section 4.2).
 */
function cutAxis(axis: Axis, tally: Tally, minLeaf: number): { gain: number; split: Split } | undefined {
  const { present, counts, weights, sums } = tally;
  const meanOf = (level: number) => (sums[level] ?? 0) / (weights[level] ?? 1);
  const order = axis.kind === "unordered" ? present.toSorted((a, b) => meanOf(a) - meanOf(b)) : present;
  const whole = { count: 0, weight: 0, sum: 0 };
  const add = (to: typeof whole, level: number) => {
    to.count += counts[level] ?? 0;
    to.weight += weights[level] ?? 0;
    to.sum += sums[level] ?? 0;
  };
  for (const level of order) add(whole, level);
  const low = { count: 0, weight: 0, sum: 0 };
  let best: { gain: number; at: number } | undefined;
  for (const [at, level] of order.subarray(0, -1).entries()) {
    add(low, level);
    if (low.count < minLeaf || whole.count - low.count < minLeaf) continue;
    const rest = { weight: whole.weight - low.weight, sum: whole.sum - low.sum };
    const gain = low.sum ** 2 / low.weight + rest.sum ** 2 / rest.weight - whole.sum ** 2 / whole.weight;
    // Smaller gains are rounding differences between equal means.
    if (gain > (best?.gain ?? 1e-12 * Math.abs(whole.sum ** 2 / whole.weight))) best = { gain, at };
  }
  return best && { gain: best.gain, split: toSplit(axis, { order, at: best.at, weights }) };
}

function toSplit(axis: Axis, { order, at, weights }: { order: Int32Array; at: number; weights: Float64Array }): Split {
  if (axis.kind !== "unordered") {
    const [below, above] = [order[at] ?? 0, order[at + 1] ?? 0].map((level) => axis.levels[level] ?? 0);
    return { kind: "below", threshold: ((below ?? 0) + (above ?? 0)) / 2 };
  }
  const low = new Set(order.subarray(0, at + 1));
  const weigh = (levels: Iterable<number>) => [...levels].reduce((sum, level) => sum + (weights[level] ?? 0), 0);
  // Levels without a run in this node go to the side with more weight.
  const takesUnseen = weigh(low) > weigh(order) / 2;
  const seen = new Set(order);
  let mask = 0;
  for (const level of axis.levels.keys()) if (seen.has(level) ? low.has(level) : takesUnseen) mask |= 1 << level;
  return { kind: "among", mask };
}

/** Returns the indices below `length` in random order (Fisher–Yates). */
export function shuffle(length: number, rng: Rng): Int32Array {
  const order = new Int32Array(length).map((_, i) => i);
  for (let i = length - 1; i > 0; i--) {
    const j = rng.int(i + 1);
    [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
  }
  return order;
}
