import type { Interval } from "#packages/statistics";
import { isLogarithmic, nameLevel, scaleOf, type Column } from "../hyperparameters/column.ts";

/**
 * Axis of a phase diagram. Cells have equal width, so a level's position is its index; the model uses `coordinates`.
 */
export type PhaseAxis = {
  key: string;
  title: string;
  /** Ascending numbers, or names in their given order. */
  levels: readonly (number | string)[];
  /** Coordinates of numeric levels in the model, −1 to 1, shape (K,), on `spacing`. */
  coordinates?: readonly number[];
  spacing: Spacing;
};

export type Spacing = "linear" | "log" | "logOnePlus" | "names";

/** Makes an axis; undefined if the column has fewer than two distinct values. */
export function toPhaseAxis({ key, title, values }: Column): PhaseAxis | undefined {
  const scale = scaleOf(values);
  if (scale.levels.length < 2) return undefined;
  if (scale.kind === "named") return { key, title, levels: scale.levels, spacing: "names" };
  const spacing = spacingOf(scale.levels, scale.isLog);
  const spread = scale.levels.map((level) => transform(level, spacing));
  const [low, high] = [spread[0] ?? 0, spread.at(-1) ?? 1];
  const coordinates = spread.map((x) => (2 * (x - low)) / (high - low) - 1);
  return { key, title, levels: scale.levels, coordinates, spacing };
}

/** True if the levels are few enough for rows or columns. */
export function isFewLevels({ levels }: Pick<PhaseAxis, "levels">): boolean {
  return levels.length <= 16;
}

/** Returns the level index of each run; −1 for a run without a value. */
export function levelIndices({ levels, spacing }: PhaseAxis, values: Column["values"]): number[] {
  const indexOf = new Map(levels.map((level, i) => [level, i]));
  return values.map((value) => indexOf.get(spacing === "names" ? nameLevel(value) : (value ?? "")) ?? -1);
}

/**
 * Returns a position's features: one coordinate for numbers, K − 1 indicators for names.
 * @param position level index, with fractions between levels; beyond the ends, the outermost two levels are
 * extrapolated
 */
export function axisFeatures({ levels, coordinates }: PhaseAxis, position: number): number[] {
  if (coordinates) return [coordinateAt(coordinates, position)];
  const at = Math.min(levels.length - 1, Math.max(0, Math.round(position)));
  return levels.slice(1).map((_, i) => (i + 1 === at ? 1 : 0));
}

/**
 * Returns the midpoint between a numeric level and the next, to two digits or an integer. Undefined for names, at the
 * last level, and if rounding gives one of the two levels.
 */
export function middleLevel({ levels, spacing }: PhaseAxis, index: number): number | undefined {
  const [low, high] = [levels[index], levels[index + 1]];
  if (typeof low !== "number" || typeof high !== "number") return undefined;
  const middle = restore((transform(low, spacing) + transform(high, spacing)) / 2, spacing);
  const isWhole = levels.every((level) => Number.isInteger(level));
  const rounded = isWhole ? Math.round(middle) : Number(middle.toPrecision(2));
  return rounded > low && rounded < high ? rounded : undefined;
}

function coordinateAt(coordinates: readonly number[], position: number): number {
  const left = Math.min(coordinates.length - 2, Math.max(0, Math.floor(position)));
  const [from, to] = [coordinates[left] ?? 0, coordinates[left + 1] ?? 0];
  return from + (position - left) * (to - from);
}

/** Returns `logOnePlus` for levels that start at 0 and then grow by factors (0, 2, 8, 32). */
function spacingOf(levels: readonly number[], isLog: boolean): Spacing {
  if (isLog) return "log";
  return levels[0] === 0 && levels.length > 2 && isLogarithmic(levels.slice(1)) ? "logOnePlus" : "linear";
}

function transform(x: number, spacing: Spacing): number {
  if (spacing === "log") return Math.log(x);
  return spacing === "logOnePlus" ? Math.log1p(x) : x;
}

function restore(x: number, spacing: Spacing): number {
  if (spacing === "log") return Math.exp(x);
  return spacing === "logOnePlus" ? Math.expm1(x) : x;
}

export type Axes = { x: PhaseAxis; y: PhaseAxis };

/**
 * Returns a position's features in the logistic model, shape (P,): 1, then those of both axes. An interaction would fit
 * noise with a few seeds per cell.
 */
export function phaseFeatures({ x, y }: Axes, atX: number, atY: number): number[] {
  return [1, ...axisFeatures(x, atX), ...axisFeatures(y, atY)];
}

export type PhaseCell = {
  /** Level indices. */
  x: number;
  y: number;
  /** Run indices. */
  runs: readonly number[];
  numCollapsed: number;
  /** 95 % Wilson interval of the fraction of collapsed runs. */
  interval: Interval;
};
