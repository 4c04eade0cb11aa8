import { isLogarithmic, nameLevel, scaleOf, type Column } from "#server/domain/importance/column.ts";

/** One side of a phase diagram. A level's position is its index, so that all cells are as wide; between levels a model reads coordinates. */
export type PhaseAxis = {
  key: string;
  title: string;
  /** Ascending; names in their order. */
  levels: readonly (number | string)[];
  /** (K,) of numbers, from −1 to 1: on their logarithm where they are spread by factors. Names have none. */
  coordinates?: readonly number[];
  spacing: Spacing;
};

export type Spacing = "linear" | "log" | "logOnePlus" | "names";

/** The axis of a column; undefined where fewer than two values occur. */
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

/** Whose values are few enough to be rows or columns. */
export function isFewLevels({ levels }: Pick<PhaseAxis, "levels">): boolean {
  return levels.length <= 16;
}

/** Which level each run has; −1 where it has none. */
export function levelIndices({ levels, spacing }: PhaseAxis, values: Column["values"]): number[] {
  const indexOf = new Map(levels.map((level, i) => [level, i]));
  return values.map((value) => indexOf.get(spacing === "names" ? nameLevel(value) : (value ?? "")) ?? -1);
}

/**
 * What a model reads at a position between or beside levels: of numbers one coordinate, of K names K − 1 indicators.
 * @param position index of a level, fractions between; beyond the ends as the outermost pair goes on
 */
export function axisFeatures({ levels, coordinates }: PhaseAxis, position: number): number[] {
  if (coordinates) return [coordinateAt(coordinates, position)];
  const at = Math.min(levels.length - 1, Math.max(0, Math.round(position)));
  return levels.slice(1).map((_, i) => (i + 1 === at ? 1 : 0));
}

/** The value in the middle of two neighbours, to two digits; whole where both are. Undefined where none lies between. */
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

/** Lags and counts begin at 0 and go on by factors: 0, 2, 8, 32. */
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
