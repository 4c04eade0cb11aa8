import type { Group } from "./group.ts";
import { describeNonFinite, type Curve, type NonFiniteMark } from "./series.ts";

export type Downsampled = {
  iterations: Int32Array;
  /** NaN where the line must break. */
  values: Float64Array;
  /** Non-finite points of the whole range, the first `maxMarks` of them; they are events and are never thinned. */
  marks: NonFiniteMark[];
  numNonFinite: number;
  /** Points before thinning. */
  numPoints: number;
};

export const maxMarks = 500;

/**
 * At most about `maxPoints` points that draw the same line: first, last, lowest and highest of every bucket (M4), so
 * that no spike is lost at any zoom, and one break where a bucket holds a non-finite value. Deterministic; short
 * curves come back whole.
 */
export function downsample(curve: Curve, maxPoints: number): Downsampled {
  const { iterations, values } = curve;
  const indices = selectIndices(iterations, [values], maxPoints);
  const marks: NonFiniteMark[] = [];
  let numNonFinite = 0;
  for (const [i, x] of values.entries()) {
    if (Number.isFinite(x)) continue;
    numNonFinite += 1;
    if (marks.length < maxMarks) marks.push({ iteration: iterations[i] ?? 0, kind: describeNonFinite(x) });
  }
  return {
    iterations: Int32Array.from(indices, (i) => iterations[i] ?? 0),
    values: Float64Array.from(indices, (i) => toDrawn(values[i] ?? NaN)),
    marks,
    numNonFinite,
    numPoints: values.length,
  };
}

/** A group thinned on the same iterations for all columns: extremes of the mean and of both edges of its band stay. */
export function downsampleGroup(group: Group, maxPoints: number): Group {
  const { iterations, mean, std, min, max, n, numNonFinite } = group;
  const low = mean.map((x, i) => x - finiteOr0(std[i]));
  const high = mean.map((x, i) => x + finiteOr0(std[i]));
  const indices = selectIndices(iterations, [mean, low, high], maxPoints);
  const pick = (column: Float64Array) => Float64Array.from(indices, (i) => column[i] ?? NaN);
  const count = (column: Int32Array) => Int32Array.from(indices, (i) => column[i] ?? 0);
  return {
    iterations: count(iterations),
    mean: pick(mean),
    std: pick(std),
    min: pick(min),
    max: pick(max),
    n: count(n),
    numNonFinite: count(numNonFinite),
  };
}

/** Ascending indices to keep: per bucket of equal width in iterations, each column's extremes, its ends, and a break. */
export function selectIndices(
  iterations: Int32Array,
  columns: readonly Float64Array[],
  maxPoints: number,
): readonly number[] {
  const size = iterations.length;
  if (size <= maxPoints) return Array.from({ length: size }, (_, i) => i);
  const numBuckets = Math.max(1, Math.floor(maxPoints / (2 + 2 * columns.length)));
  const first = iterations[0] ?? 0;
  const span = (iterations[size - 1] ?? 0) - first + 1;
  const kept: number[] = [];
  let start = 0;
  while (start < size) {
    const bucket = Math.floor((((iterations[start] ?? 0) - first) * numBuckets) / span);
    let end = start + 1;
    while (end < size && Math.floor((((iterations[end] ?? 0) - first) * numBuckets) / span) === bucket) end++;
    const keep = new Set<number>([start, end - 1]);
    for (const column of columns) keepExtremes(column, start, end, keep);
    kept.push(...[...keep].sort((a, b) => a - b));
    start = end;
  }
  return kept;
}

/** First and last finite value, minimum, maximum, and the first non-finite value of [start, end). */
function keepExtremes(column: Float64Array, start: number, end: number, keep: Set<number>): void {
  let low = -1;
  let high = -1;
  let firstFinite = -1;
  let lastFinite = -1;
  let broken = -1;
  for (let i = start; i < end; i++) {
    const x = column[i] ?? NaN;
    if (!Number.isFinite(x)) {
      if (broken < 0) broken = i;
      continue;
    }
    if (firstFinite < 0) firstFinite = i;
    lastFinite = i;
    if (low < 0 || x < (column[low] ?? 0)) low = i;
    if (high < 0 || x > (column[high] ?? 0)) high = i;
  }
  for (const i of [low, high, firstFinite, lastFinite, broken]) if (i >= 0) keep.add(i);
}

/** Infinities cannot be drawn: they break the line and are listed among the marks. */
function toDrawn(x: number): number {
  return Number.isFinite(x) ? x : NaN;
}

function finiteOr0(x: number | undefined): number {
  return x !== undefined && Number.isFinite(x) ? x : 0;
}
