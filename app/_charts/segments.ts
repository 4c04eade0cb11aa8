/** One drawn point: x, y, and the band's edges if there is a band. */
export type Point = { x: number; y: number; low: number | null; high: number | null };

type Columns = {
  iterations: readonly number[];
  values: readonly number[];
  /** Lower and upper edges of the band; undefined for a line without a band. */
  lows?: readonly (number | null)[];
  highs?: readonly (number | null)[];
  breaks: readonly number[];
};

/** Splits columns of values into segments of connected points: at a gap, one segment ends and the next begins. */
export function toSegments({ iterations, values, lows, highs, breaks }: Columns): Point[][] {
  const ends = new Set(breaks);
  const segments: Point[][] = [];
  let current: Point[] = [];
  for (const [i, x] of iterations.entries()) {
    const y = values[i];
    if (y === undefined) break;
    current.push({ x, y, low: lows?.[i] ?? null, high: highs?.[i] ?? null });
    if (!ends.has(x)) continue;
    segments.push(current);
    current = [];
  }
  if (current.length > 0) segments.push(current);
  return segments;
}

/** Returns the points within a range of the x-axis, both ends included; null selects all points. */
export function withinRange(segments: readonly Point[][], range: readonly [number, number] | null): Point[][] {
  if (!range) return [...segments];
  return segments
    .map((segment) => segment.filter((point) => point.x >= range[0] && point.x <= range[1]))
    .filter((segment) => segment.length > 0);
}

/** Removes values at or below zero, for a logarithmic axis; a removed value interrupts the line. */
export function positiveOnly(segments: readonly Point[][]): Point[][] {
  const kept: Point[][] = [];
  for (const segment of segments) {
    let current: Point[] = [];
    for (const point of segment) {
      if (point.y > 0) {
        current.push(point);
        continue;
      }
      if (current.length > 0) kept.push(current);
      current = [];
    }
    if (current.length > 0) kept.push(current);
  }
  return kept;
}
