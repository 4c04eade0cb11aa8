import type { Curve } from "#packages/statistics";

/** Curves of several seeds on a common grid of N iterations. */
export type AlignedSeeds = {
  /** Union of all seeds' iterations in ascending order, shape (N,). */
  iterations: Int32Array;
  /** Shape (N,) per seed: logged or interpolated values, NaN outside the seed's range. */
  columns: Float64Array[];
  /** Seeds with a finite logged value at each iteration, shape (N,). */
  measured: Int32Array;
  /** Undefined for a seed without finite values. */
  ranges: ({ first: number; last: number } | undefined)[];
  /** Ascending iterations after which the mean is interrupted: a seed begins or ends, or every seed lacks points. */
  breaks: number[];
};

/**
 * Aligns seeds that log at different iterations. From its first to its last value, a seed contributes logged or
 * linearly interpolated values, but none where no seed logged one.
 */
export function alignSeeds(curves: readonly Curve[]): AlignedSeeds {
  const iterations = uniteIterations(curves);
  const findSlots = makeSlotFinder(iterations);
  const measured = new Int32Array(iterations.length);
  const seeds = curves.map((curve) => placeSeed(curve, findSlots(curve.iterations), measured));
  // Seeds with a point at every grid index are counted together, minus the points at which they lack a value.
  const numWhole = seeds.filter(({ missing }) => missing !== undefined).length;
  for (let slot = 0; slot < measured.length; slot++) measured[slot] = (measured[slot] ?? 0) + numWhole;
  // A single seed is shown as logged, so its missing values are gaps.
  const columns = seeds.map((seed) =>
    curves.length === 1 ? spread(seed, iterations) : fillIn(seed, { iterations, measured }),
  );
  return {
    iterations,
    columns,
    measured,
    ranges: seeds.map(({ first, last }) =>
      last < 0 ? undefined : { first: iterations[first] ?? 0, last: iterations[last] ?? 0 },
    ),
    breaks: findBreaks(seeds, { iterations, measured }),
  };
}

type Grid = { iterations: Int32Array; measured: Int32Array };
/** A seed with the grid index of each point (`slots`), and those of its outermost finite values. */
type Seed = {
  curve: Curve;
  slots: Int32Array;
  numFinite: number;
  first: number;
  last: number;
  /** Grid indices without a finite value, in ascending order, for a seed that has a point at every index. */
  missing?: number[];
};

function placeSeed(curve: Curve, slots: Int32Array, measured: Int32Array): Seed {
  return slots.length === measured.length && curve.values.length === slots.length
    ? placeWhole(curve, slots, measured)
    : placePart(curve, slots, measured);
}

/** Prepares a seed that has a point at every grid index, as is usual, by listing the few values that it lacks. */
function placeWhole(curve: Curve, slots: Int32Array, measured: Int32Array): Seed {
  const { values } = curve;
  const missing: number[] = [];
  for (let slot = 0; slot < values.length; slot++) {
    if (Number.isFinite(values[slot])) continue;
    missing.push(slot);
    measured[slot] = (measured[slot] ?? 0) - 1;
  }
  let [first, last] = [0, values.length - 1];
  while (first <= last && !Number.isFinite(values[first])) first++;
  while (last >= first && !Number.isFinite(values[last])) last--;
  const isEmpty = missing.length === values.length;
  return {
    curve,
    slots,
    missing,
    numFinite: values.length - missing.length,
    first: isEmpty ? 0 : first,
    last: isEmpty ? -1 : last,
  };
}

function placePart(curve: Curve, slots: Int32Array, measured: Int32Array): Seed {
  let [numFinite, first, last] = [0, 0, -1];
  const count = Math.min(slots.length, curve.values.length);
  for (let i = 0; i < count; i++) {
    if (!Number.isFinite(curve.values[i])) continue;
    const slot = slots[i] ?? 0;
    if (numFinite === 0) first = slot;
    last = slot;
    numFinite += 1;
    measured[slot] = (measured[slot] ?? 0) + 1;
  }
  return { curve, slots, numFinite, first, last };
}

/** Copies a seed's logged values to their grid indices; all other values are NaN. */
function spread({ curve, slots }: Seed, iterations: Int32Array): Float64Array {
  const column = new Float64Array(iterations.length).fill(NaN);
  for (let i = 0; i < slots.length; i++) {
    const x = curve.values[i] ?? NaN;
    if (Number.isFinite(x)) column[slots[i] ?? 0] = x;
  }
  return column;
}

/** Copies a seed's logged values to the grid, and interpolates linearly where only other seeds logged a value. */
function fillIn(seed: Seed, { iterations, measured }: Grid): Float64Array {
  const { curve, numFinite, first, last, missing } = seed;
  if (missing) return missing.length === 0 ? curve.values : fillMissing(seed, missing, { iterations, measured });
  const column = spread(seed, iterations);
  if (numFinite === last - first + 1) return column;
  let before = first;
  for (let slot = first + 1; slot <= last; slot++) {
    if (!Number.isFinite(column[slot])) continue;
    const [x, y] = [iterations[before] ?? 0, column[before] ?? 0];
    const slope = ((column[slot] ?? 0) - y) / ((iterations[slot] ?? 0) - x);
    for (let between = before + 1; between < slot; between++) {
      if ((measured[between] ?? 0) > 0) column[between] = y + slope * ((iterations[between] ?? 0) - x);
    }
    before = slot;
  }
  return column;
}

/** Fills in missing values of a seed with a point at every index, with the same result as `fillIn`. */
function fillMissing({ curve, first, last }: Seed, missing: readonly number[], { iterations, measured }: Grid) {
  const column = curve.values.slice();
  let [before, after] = [-1, -1];
  for (const slot of missing) {
    column[slot] = NaN;
    if (slot < first || slot > last) continue;
    if (slot > after) {
      [before, after] = [slot - 1, slot + 1];
      while (!Number.isFinite(curve.values[after])) after++;
    }
    if (measured[slot] === 0) continue;
    const [x, y] = [iterations[before] ?? 0, curve.values[before] ?? 0];
    const slope = ((curve.values[after] ?? 0) - y) / ((iterations[after] ?? 0) - x);
    column[slot] = y + slope * ((iterations[slot] ?? 0) - x);
  }
  return column;
}

/** Finds where a seed begins or ends, or no seed has a next point at its usual distance. */
function findBreaks(seeds: readonly Seed[], { iterations, measured }: Grid): number[] {
  const size = iterations.length;
  // Difference array over grid indices: its running sum is the number of seeds that connect an index with the next.
  const linked = new Int32Array(size + 1);
  const isEdge = new Uint8Array(size);
  const add = (slot: number, count: number) => (linked[slot] = (linked[slot] ?? 0) + count);
  for (const { curve, slots, first, last } of seeds) {
    if (last < 0) continue;
    add(first, 1);
    add(last, -1);
    for (const at of stepsOf(curve.iterations).gaps) {
      const [from, to] = [Math.max(first, slots[at] ?? 0), Math.min(last, slots[at + 1] ?? 0)];
      if (from >= to) continue;
      add(from, -1);
      add(to, 1);
    }
    isEdge[last] = 1;
    let before = first - 1;
    while (before >= 0 && measured[before] === 0) before--;
    if (before >= 0) isEdge[before] = 1;
  }
  const breaks: number[] = [];
  let links = 0;
  for (let slot = 0; slot < size - 1; slot++) {
    links += linked[slot] ?? 0;
    if (links === 0 || isEdge[slot] === 1) breaks.push(iterations[slot] ?? 0);
  }
  return breaks;
}

/** Maximum range of iterations for which iterations are united through an array with one entry per iteration. */
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

/** Finds grid indices in one pass, since both lists are ascending. */
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

type Steps = {
  /** Median distance of neighbouring points, in iterations. */
  cadence: number;
  /** Indices of the points before a gap, where at least one usual point is missing. */
  gaps: readonly number[];
};

// Caches `stepsOf` by array: runs of a sweep usually share one immutable array of iterations.
const known = new WeakMap<Int32Array, Steps>();

export function stepsOf(iterations: Int32Array): Steps {
  const before = known.get(iterations);
  if (before !== undefined) return before;
  const cadence = medianStep(iterations);
  const steps = { cadence, gaps: listGaps(iterations, cadence) };
  known.set(iterations, steps);
  return steps;
}

/**
 * Finds distances well above the median and both neighbours. A run that resumes with a longer distance does not have a
 * gap at each point.
 */
function listGaps(iterations: Int32Array, cadence: number): number[] {
  const stepAfter = (i: number) => (iterations[i + 1] ?? NaN) - (iterations[i] ?? NaN);
  const gaps: number[] = [];
  for (let i = 0; i < iterations.length - 1; i++) {
    const step = stepAfter(i);
    if (step <= 1.5 * cadence) continue;
    const isUsual = step <= 1.5 * stepAfter(i - 1) || step <= 1.5 * stepAfter(i + 1);
    if (!isUsual) gaps.push(i);
  }
  return gaps;
}

function medianStep(iterations: Int32Array): number {
  const steps = iterations.map((iteration, i) => iteration - (iterations[i - 1] ?? iteration)).subarray(1);
  return steps.length === 0 ? 1 : Math.max(1, steps.sort()[steps.length >> 1] ?? 1);
}

/** Mean and standard deviation over seeds with a value; arrays have shape (N,). */
type Group = {
  mean: Float64Array;
  /** Sample standard deviation (n − 1); NaN if n < 2. */
  sd: Float64Array;
  n: Int32Array;
};

export function groupSeeds({ iterations, columns }: Pick<AlignedSeeds, "iterations" | "columns">): Group {
  const size = iterations.length;
  const mean = new Float64Array(size);
  const squares = new Float64Array(size);
  const n = new Int32Array(size);
  for (const column of columns) {
    for (let slot = 0; slot < size; slot++) {
      const x = column[slot] ?? NaN;
      if (!Number.isFinite(x)) continue;
      // Welford's algorithm avoids cancellation when the spread is small relative to the mean.
      const numSoFar = (n[slot] ?? 0) + 1;
      const before = mean[slot] ?? 0;
      const after = before + (x - before) / numSoFar;
      n[slot] = numSoFar;
      mean[slot] = after;
      squares[slot] = (squares[slot] ?? 0) + (x - before) * (x - after);
    }
  }
  const sd = squares;
  for (let slot = 0; slot < size; slot++) {
    const count = n[slot] ?? 0;
    sd[slot] = count < 2 ? NaN : Math.sqrt((squares[slot] ?? 0) / (count - 1));
    if (count === 0) mean[slot] = NaN;
  }
  return { mean, sd, n };
}

export function makeSorter(columns: readonly Float64Array[]): (index: number) => Float64Array {
  return (index) =>
    Float64Array.from(columns, (column) => column[index] ?? NaN)
      .filter(Number.isFinite)
      .sort();
}
