import type { Curve } from "#packages/statistics";

/**
 * Downsamples to about `maxPoints` points that draw the same line. Each bucket keeps first, last, minimum and maximum
 * (M4), so that no spike is lost, and one NaN, at which the line breaks.
 */
export function downsample({ iterations, values }: Curve, maxPoints: number): Curve {
  const indices = selectIndices(iterations, [values], maxPoints);
  return {
    iterations: pick(iterations, indices),
    // Infinite values cannot be drawn, so they become NaN.
    values: pick(values, indices).map((x) => (Number.isFinite(x) ? x : NaN)),
  };
}

/**
 * Returns ascending indices of the points to keep: extremes, ends and one break per column and bucket of equal width in
 * iterations.
 */
export function selectIndices(iterations: Int32Array, columns: readonly Float64Array[], maxPoints: number): Int32Array {
  const size = iterations.length;
  if (size <= maxPoints) return iterations.map((_, i) => i);
  const numBuckets = Math.max(1, Math.floor(maxPoints / (2 + 2 * columns.length)));
  const first = iterations[0] ?? 0;
  const width = ((iterations[size - 1] ?? 0) - first + 1) / numBuckets;
  const isKept = new Uint8Array(size);
  let start = 0;
  while (start < size) {
    const bucket = Math.floor(((iterations[start] ?? 0) - first) / width);
    const limit = first + (bucket + 1) * width;
    let end = start + 1;
    while (end < size && (iterations[end] ?? 0) < limit) end++;
    isKept[start] = isKept[end - 1] = 1;
    for (const column of columns) keepExtremes(column, [start, end], isKept);
    start = end;
  }
  return listSet(isKept);
}

/** Marks the points to keep in [start, end): first and last finite value, minimum, maximum, first non-finite value. */
function keepExtremes(column: Float64Array, [start, end]: readonly [number, number], isKept: Uint8Array): void {
  let low = -1;
  let high = -1;
  let lastFinite = -1;
  let broken = -1;
  let lowest = Infinity;
  let highest = -Infinity;
  for (let i = start; i < end; i++) {
    const x = column[i] ?? NaN;
    if (!Number.isFinite(x)) {
      if (broken < 0) broken = i;
      continue;
    }
    if (lastFinite < 0) isKept[i] = 1;
    lastFinite = i;
    if (x < lowest) [low, lowest] = [i, x];
    if (x > highest) [high, highest] = [i, x];
  }
  if (lastFinite >= 0) isKept[low] = isKept[high] = isKept[lastFinite] = 1;
  if (broken >= 0) isKept[broken] = 1;
}

function listSet(isKept: Uint8Array): Int32Array {
  const indices = new Int32Array(isKept.length);
  let length = 0;
  for (let i = 0; i < isKept.length; i++) if (isKept[i] === 1) indices[length++] = i;
  return indices.slice(0, length);
}

function pick<A extends Int32Array | Float64Array>(column: A, indices: Int32Array): A;
function pick(column: Int32Array | Float64Array, indices: Int32Array): Int32Array | Float64Array {
  const picked = column.slice(0, indices.length);
  for (let i = 0; i < indices.length; i++) picked[i] = column[indices[i] ?? 0] ?? NaN;
  return picked;
}
