import { writeSpread } from "#packages/statistics";
import type { LegendEntry } from "./names.ts";
import { toFraction, type YAxisModel } from "./axes.ts";
import type { ValueRow } from "./prepareChart.ts";

/** A line's value at the cursor or at the line's last point, as shown in the list of values. */
export type Reading = {
  entry: LegendEntry;
  iteration: number;
  value: number;
  /** Edges of the line's band; null if the line has no band. */
  low: number | null;
  high: number | null;
  /** `measured`: number of the `count` seeds that logged this iteration; the other values are interpolated. */
  count: number;
  measured: number;
  text: string;
};

/** Returns each line's value nearest to x, unless it is farther away than the line's logging interval. */
export function valuesAt(rows: readonly ValueRow[], x: number): Reading[] {
  return rows.flatMap((row) => {
    const index = nearestIndex(row.band.iterations, x);
    const iteration = row.band.iterations[index];
    if (iteration === undefined || Math.abs(iteration - x) > Math.max(1, row.band.cadence)) return [];
    return readAt(row, index);
  });
}

export function lastValues(rows: readonly ValueRow[]): Reading[] {
  return rows.flatMap((row) => readAt(row, row.band.iterations.length - 1));
}

/** Returns all iterations that any line logged, in ascending order; the cursor moves between them. */
export function cursorStops(rows: readonly ValueRow[]): number[] {
  return [...new Set(rows.flatMap((row) => row.band.iterations))].sort((a, b) => a - b);
}

/** Returns the index of the value nearest to x in an ascending list, the earlier of two; −1 for an empty list. */
export function nearestIndex(ascending: readonly number[], x: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  const before = ascending[low - 1];
  const at = ascending[low];
  if (at === undefined) return -1;
  return before !== undefined && x - before <= at - x ? low - 1 : low;
}

/** Maximum distance in pixels from the pointer to a line that is highlighted. */
const reach = 14;

/** Returns the value whose line is nearest to the pointer, `pointer` pixels below the plot's top, if one is near. */
export function nearestReading(
  readings: readonly Reading[],
  { y, height }: { y: YAxisModel; height: number },
  pointer: number,
): Reading | undefined {
  const away = ({ value }: Reading) => Math.abs((1 - toFraction(value, y.domain, y.scale)) * height - pointer);
  const [nearest] = readings.toSorted((a, b) => away(a) - away(b));
  return nearest && away(nearest) <= reach ? nearest : undefined;
}

function readAt({ entry, band, unit }: ValueRow, index: number): Reading[] {
  const iteration = band.iterations[index];
  const value = band.values[index];
  const count = band.counts[index];
  if (iteration === undefined || value === undefined || count === undefined) return [];
  const [low, high] = [band.lows[index] ?? null, band.highs[index] ?? null];
  const measured = band.measured[index] ?? count;
  return [{ entry, iteration, value, low, high, count, measured, text: formatBand(value, { low, high }, unit) }];
}

/** Formats a value with the edges of its band, if it has one: "68.0 [60, 71] %", "0.680 [0.600, 0.710]". */
function formatBand(value: number, { low, high }: Pick<Reading, "low" | "high">, unit: string): string {
  return writeSpread({ mean: value, interval: low === null || high === null ? null : { low, high } }, { unit });
}
