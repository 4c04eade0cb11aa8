/** One parameter as a forest sees it: its different values, and which of them each run has. */
export type Axis = {
  /** Of an interval any value between the ends counts, all alike; of the others only `levels`, all alike. */
  kind: "interval" | "ordered" | "unordered";
  /** (K,) coordinates of the different values, ascending; of unordered ones 0 to K − 1. */
  levels: Float64Array;
  /** (N,) indices into `levels`. */
  levelOf: Int32Array;
};

/** Sets of levels are bits of an integer: no more than these can be told apart by a tree. */
export const mostLevels = 31;

/** An axis of numbers: an interval, or where values repeat on purpose, as in a grid, those values. */
export function numericAxis(values: readonly number[], kind: "interval" | "ordered"): Axis {
  const levels = new Float64Array(new Set(values)).sort();
  const indexOf = new Map(Array.from(levels, (level, i) => [level, i]));
  return { kind, levels, levelOf: Int32Array.from(values, (value) => indexOf.get(value) ?? 0) };
}

/** An axis of names, which have no order. */
export function namedAxis(values: readonly string[]): Axis {
  const indexOf = new Map([...new Set(values)].map((value, i) => [value, i]));
  return {
    kind: "unordered",
    levels: Float64Array.from(indexOf.values()),
    levelOf: Int32Array.from(values, (value) => indexOf.get(value) ?? 0),
  };
}

/** A part of an axis. */
export type Side = { kind: "between"; low: number; high: number } | { kind: "among"; mask: number };

export function wholeSide({ kind, levels }: Axis): Side {
  if (kind === "interval") return { kind: "between", low: levels[0] ?? 0, high: levels.at(-1) ?? 0 };
  return { kind: "among", mask: maskOf(levels.keys()) };
}

/** Bits of these levels. */
export function maskOf(levels: Iterable<number>): number {
  let mask = 0;
  for (const level of levels) mask |= 1 << level;
  return mask;
}

/** How much of its axis a part is: 1 for the whole. */
export function measure(side: Side, { levels }: Axis): number {
  if (side.kind === "among") return countBits(side.mask) / levels.length;
  return (side.high - side.low) / ((levels.at(-1) ?? 0) - (levels[0] ?? 0));
}

export function countBits(mask: number): number {
  let rest = mask - ((mask >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
