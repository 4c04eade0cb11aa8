import type { Curve } from "./series.ts";

/**
 * Iterations on which runs of different evaluation cadence can be compared: their own, if all agree, else multiples
 * of the coarsest cadence between the first and the last point of any run.
 */
export function commonGrid(curves: readonly Curve[]): Int32Array {
  const filled = curves.filter(({ iterations }) => iterations.length > 0);
  const [first] = filled;
  if (!first) return new Int32Array();
  if (filled.every(({ iterations }) => iterations.join() === first.iterations.join())) return first.iterations;
  const cadence = Math.max(...filled.map(({ iterations }) => medianGap(iterations)));
  const start = Math.min(...filled.map(({ iterations }) => iterations[0] ?? 0));
  const end = Math.max(...filled.map(({ iterations }) => iterations.at(-1) ?? 0));
  const from = Math.ceil(start / cadence);
  const length = Math.max(0, Math.floor(end / cadence) - from + 1);
  return Int32Array.from({ length }, (_, i) => (from + i) * cadence);
}

/**
 * A curve's values on another grid. `linear` for quantities that move continuously, `hold` (last value seen) for
 * those that move in steps. Never extrapolates: NaN before the first and after the last point, inside gaps longer
 * than two cadences, and beside a non-finite value.
 */
export function align(curve: Curve, grid: Int32Array, how: "linear" | "hold" = "linear"): Float64Array {
  const { iterations, values } = curve;
  const maxGap = 2 * medianGap(iterations);
  const aligned = new Float64Array(grid.length).fill(NaN);
  let right = 0;
  for (const [slot, iteration] of grid.entries()) {
    while (right < iterations.length && (iterations[right] ?? 0) < iteration) right++;
    if (right >= iterations.length) break;
    const x1 = iterations[right] ?? 0;
    const y1 = values[right] ?? NaN;
    if (x1 === iteration) {
      aligned[slot] = y1;
      continue;
    }
    if (right === 0) continue;
    const x0 = iterations[right - 1] ?? 0;
    const y0 = values[right - 1] ?? NaN;
    if (x1 - x0 > maxGap || !Number.isFinite(y0) || !Number.isFinite(y1)) continue;
    aligned[slot] = how === "hold" ? y0 : y0 + ((y1 - y0) * (iteration - x0)) / (x1 - x0);
  }
  return aligned;
}

/** Curves on their common grid: ready for `groupByIteration`. Points outside a run's range are left out, not NaN. */
export function alignAll(curves: readonly Curve[], how: "linear" | "hold" = "linear"): Curve[] {
  const grid = commonGrid(curves);
  return curves.map((curve) => {
    const first = curve.iterations[0] ?? Infinity;
    const last = curve.iterations.at(-1) ?? -Infinity;
    const iterations = grid.filter((iteration) => iteration >= first && iteration <= last);
    return { iterations, values: align(curve, iterations, how) };
  });
}

function medianGap(iterations: Int32Array): number {
  const gaps = iterations
    .slice(1)
    .map((iteration, i) => iteration - (iterations[i] ?? 0))
    .sort();
  return Math.max(1, gaps[gaps.length >> 1] ?? 1);
}
