import { bootstrap, type Bootstrap, type BootstrapOptions } from "./bootstrap.ts";
import { normalQuantile } from "./distributions.ts";
import { toRanks } from "./ranks.ts";
import type { Interval } from "./rates.ts";
import type { Scores } from "./scores.ts";
import { mean, sem, std, variance } from "./summary.ts";

type Sample = readonly number[];

/** Returns Cohen's d: difference of means divided by the pooled standard deviation. */
export function cohenD(x: Sample, y: Sample): number {
  const df = x.length + y.length - 2;
  const pooled = ((x.length - 1) * variance(x) + (y.length - 1) * variance(y)) / df;
  return (mean(x) - mean(y)) / Math.sqrt(pooled);
}

/** Cohen's d corrected for small-sample bias, by the common approximation J = 1 − 3 / (4 (n + m) − 9). */
export function hedgesG(x: Sample, y: Sample): number {
  return hedgesCorrection(x.length + y.length) * cohenD(x, y);
}

export function hedgesCorrection(total: number): number {
  return 1 - 3 / (4 * total - 9);
}

/** Returns Glass's Δ: difference of means divided by the standard deviation of the baseline y. */
export function glassDelta(x: Sample, y: Sample): number {
  return (mean(x) - mean(y)) / std(y);
}

/** Cliff's δ: P(x > y) − P(x < y) over all pairs, in [−1, 1]. */
export function cliffDelta(x: Sample, y: Sample): number {
  return 2 * commonLanguageEffect(x, y) - 1;
}

/** Vargha and Delaney's A₁₂: P(x > y) + ½ P(x = y) over all pairs. NaN if a sample is empty or contains a NaN. */
export function commonLanguageEffect(x: Sample, y: Sample): number {
  const ranks = toRanks([...x, ...y]);
  const [ofX, ofY] = [x, y].map((values) => values.map((value) => ranks.get(value) ?? NaN));
  return winShare(ofX ?? [], ofY ?? [], new Uint32Array(2 * ranks.size));
}

/**
 * Computes P(x > y) + ½ P(x = y) (`commonLanguageEffect`) from ranks below C, in time n + m + C instead of n·m. The
 * result equals a count of all pairs bit by bit, because counts are multiples of ½.
 * @param counts (2C,) buffer for counts
 */
export function winShare(x: Sample, y: Sample, counts: Uint32Array): number {
  const half = counts.length / 2;
  counts.fill(0);
  for (const rank of x) counts[rank] = (counts[rank] ?? 0) + 1;
  for (const rank of y) counts[half + rank] = (counts[half + rank] ?? 0) + 1;
  let [wins, below] = [0, 0];
  for (let rank = 0; rank < half; rank++) {
    const equal = counts[half + rank] ?? 0;
    wins += (counts[rank] ?? 0) * (below + equal / 2);
    below += equal;
  }
  const hasRanks = x.every((rank) => rank >= 0) && y.every((rank) => rank >= 0);
  return hasRanks ? wins / (x.length * y.length) : NaN;
}

/** Change of x's mean relative to y's; interval by the delta method on the log-ratio, NaN unless both are positive. */
export function relativeDifference(x: Sample, y: Sample, level = 0.95): { value: number; interval: Interval } {
  const ratio = mean(x) / mean(y);
  const error = Math.hypot(sem(x) / mean(x), sem(y) / mean(y));
  const reach = Math.exp(normalQuantile((1 + level) / 2) * error);
  const isPositive = mean(x) > 0 && mean(y) > 0;
  const interval = isPositive ? { low: ratio / reach - 1, high: ratio * reach - 1 } : { low: NaN, high: NaN };
  return { value: ratio - 1, interval };
}

/**
 * Returns the probability that a run of x beats a run of y on a task, averaged over tasks (rliable). Ties count half.
 * x and y are (K, N): tasks × seeds. @testing
 */
export function probabilityOfImprovement(x: Scores, y: Scores): number {
  return mean(x.map((scores, task) => commonLanguageEffect(scores, y[task] ?? [])));
}

/** Bootstrap of `probabilityOfImprovement`. Seeds of both methods are resampled independently within each task. */
export function bootstrapImprovement(x: Scores, y: Scores, options: BootstrapOptions = {}): Bootstrap {
  const numTasks = x.length;
  const { rankOf, improvementOf } = prepareImprovement(x, y);
  const ranks = [x, y].flatMap((scores) => scores.map((values, task) => values.map((value) => rankOf(value, task))));
  return bootstrap(ranks, (drawn) => improvementOf(drawn.slice(0, numTasks), drawn.slice(numTasks)), options);
}

/** The statistic depends only on the order of values, so values are sorted once and resamples contain ranks. */
export function prepareImprovement(
  x: Scores,
  y: Scores,
): {
  rankOf: (value: number, task: number) => number;
  /** Computes the probability of improvement from resampled ranks, (K, N): tasks × seeds. */
  improvementOf: (x: Scores, y: Scores) => number;
} {
  const ranks = x.map((scores, task) => toRanks([...scores, ...(y[task] ?? [])]));
  const counts = ranks.map(({ size }) => new Uint32Array(2 * size));
  return {
    rankOf: (value, task) => ranks[task]?.get(value) ?? NaN,
    improvementOf: (drawnOfX, drawnOfY) =>
      mean(counts.map((room, task) => winShare(drawnOfX[task] ?? [], drawnOfY[task] ?? [], room))),
  };
}
