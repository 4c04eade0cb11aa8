import type { Curve } from "./series.ts";

/** Many runs as one curve with a band, per iteration. All columns (N,). */
export type Group = {
  /** Union of the runs' iterations, ascending. */
  iterations: Int32Array;
  /** Over finite values only; NaN where there is none. */
  mean: Float64Array;
  /** Sample standard deviation (n − 1); NaN where n < 2. */
  std: Float64Array;
  /** Finite values that entered. */
  n: Int32Array;
};

/**
 * Groups runs by iteration. Nothing is interpolated or carried on: a run counts only where it has a point, so `n`
 * falls where runs have ended. For runs evaluated at different iterations, `align` them first.
 */
export function groupByIteration(curves: readonly Curve[]): Group {
  const iterations = uniteIterations(curves);
  const size = iterations.length;
  const mean = new Float64Array(size);
  const squares = new Float64Array(size);
  const n = new Int32Array(size);
  const findSlots = makeSlotFinder(iterations);
  for (const { iterations: ofCurve, values } of curves) {
    const slots = findSlots(ofCurve);
    const count = Math.min(ofCurve.length, values.length);
    for (let i = 0; i < count; i++) {
      const slot = slots[i] ?? 0;
      const x = values[i] ?? NaN;
      if (!Number.isFinite(x)) continue;
      // Welford: no cancellation when the spread is small against the mean.
      const numSoFar = (n[slot] ?? 0) + 1;
      const before = mean[slot] ?? 0;
      const after = before + (x - before) / numSoFar;
      n[slot] = numSoFar;
      mean[slot] = after;
      squares[slot] = (squares[slot] ?? 0) + (x - before) * (x - after);
    }
  }
  const std = squares;
  for (let slot = 0; slot < size; slot++) {
    const count = n[slot] ?? 0;
    std[slot] = count < 2 ? NaN : Math.sqrt((squares[slot] ?? 0) / (count - 1));
    if (count === 0) mean[slot] = NaN;
  }
  return { iterations, mean, std, n };
}

/** The finite values of each of a group's iterations, ascending: by index. */
export function gatherSorted(curves: readonly Curve[], { iterations, n }: Group): (index: number) => Float64Array {
  const starts = new Int32Array(iterations.length + 1);
  for (let i = 0; i < n.length; i++) starts[i + 1] = (starts[i] ?? 0) + (n[i] ?? 0);
  const next = starts.slice();
  const values = new Float64Array(starts.at(-1) ?? 0);
  const findSlots = makeSlotFinder(iterations);
  for (const curve of curves) {
    const slots = findSlots(curve.iterations);
    const count = Math.min(curve.iterations.length, curve.values.length);
    for (let i = 0; i < count; i++) {
      const [slot, x] = [slots[i] ?? 0, curve.values[i] ?? NaN];
      if (!Number.isFinite(x)) continue;
      const place = next[slot] ?? 0;
      values[place] = x;
      next[slot] = place + 1;
    }
  }
  for (let i = 0; i < n.length; i++) values.subarray(starts[i], starts[i + 1]).sort();
  return (index) => values.subarray(starts[index], starts[index + 1]);
}

/** Ranges up to this many iterations are indexed directly. */
const maxDirect = 1 << 22;

function uniteIterations(curves: readonly Curve[]): Int32Array {
  const [first] = curves;
  if (first && curves.every(({ iterations }) => isSame(iterations, first.iterations))) return first.iterations;
  let lowest = Infinity;
  let highest = -Infinity;
  for (const { iterations } of curves) {
    for (const iteration of iterations) {
      if (iteration < lowest) lowest = iteration;
      if (iteration > highest) highest = iteration;
    }
  }
  if (lowest > highest) return new Int32Array();
  if (highest - lowest >= maxDirect) {
    return Int32Array.from(new Set(curves.flatMap(({ iterations }) => [...iterations]))).sort();
  }
  const present = new Uint8Array(highest - lowest + 1);
  for (const { iterations } of curves) for (const iteration of iterations) present[iteration - lowest] = 1;
  const union = new Int32Array(present.reduce((sum, x) => sum + x, 0));
  let length = 0;
  for (let i = 0; i < present.length; i++) if (present[i] === 1) union[length++] = i + lowest;
  return union;
}

/** Where a run's iterations stand in the union. Both ascend, so one walk finds them all. */
function makeSlotFinder(union: Int32Array): (iterations: Int32Array) => Int32Array {
  const identity = union.map((_, slot) => slot);
  return (iterations) => {
    if (isSame(iterations, union)) return identity;
    const slots = new Int32Array(iterations.length);
    let slot = 0;
    for (let i = 0; i < iterations.length; i++) {
      const iteration = iterations[i] ?? 0;
      while ((union[slot] ?? iteration) < iteration) slot++;
      slots[i] = slot;
    }
    return slots;
  };
}

function isSame(a: Int32Array, b: Int32Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
