/** Hyperparameter as input of a random forest. */
export type Axis = {
  /** Set over which values are assumed uniformly distributed: a continuous `interval`, or `levels`. */
  kind: "interval" | "ordered" | "unordered";
  /** Ascending distinct values, shape (K,); 0 to K − 1 for names without an order. */
  levels: Float64Array;
  /** Index into `levels` of each run's value, shape (N,). */
  levelOf: Int32Array;
};

/** Maximum number of levels: a set of levels is stored as the bits of an integer. */
export const maxLevels = 31;

export function numericAxis(values: readonly number[], kind: "interval" | "ordered"): Axis {
  const levels = new Float64Array(new Set(values)).sort();
  const indexOf = new Map(Array.from(levels, (level, i) => [level, i]));
  return { kind, levels, levelOf: Int32Array.from(values, (value) => indexOf.get(value) ?? 0) };
}

export function namedAxis(values: readonly string[]): Axis {
  const indexOf = new Map([...new Set(values)].map((value, i) => [value, i]));
  return {
    kind: "unordered",
    levels: Float64Array.from(indexOf.values()),
    levelOf: Int32Array.from(values, (value) => indexOf.get(value) ?? 0),
  };
}

/** Part of an axis on one side of a split: an interval, or a bit mask of levels. */
export type Side = { kind: "between"; low: number; high: number } | { kind: "among"; mask: number };

export function wholeSide({ kind, levels }: Axis): Side {
  if (kind === "interval") return { kind: "between", low: levels[0] ?? 0, high: levels.at(-1) ?? 0 };
  return { kind: "among", mask: maskOf(levels.keys()) };
}

export function maskOf(levels: Iterable<number>): number {
  let mask = 0;
  for (const level of levels) mask |= 1 << level;
  return mask;
}

/** Returns the fraction of the axis on one side of a split. */
export function measure(side: Side, { levels }: Axis): number {
  if (side.kind === "among") return countBits(side.mask) / levels.length;
  return (side.high - side.low) / ((levels.at(-1) ?? 0) - (levels[0] ?? 0));
}

export function countBits(mask: number): number {
  let rest = mask - ((mask >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
