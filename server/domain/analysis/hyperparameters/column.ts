/** Column of the table of runs; null for a run without a value. */
export type Column = { key: string; title: string; values: readonly (string | number | null)[] };

export type Scale =
  /** Numbers. `isGrid`: they have few distinct values, as in a grid plan. */
  | { kind: "numeric"; isLog: boolean; isGrid: boolean; levels: readonly number[] }
  | { kind: "named"; levels: readonly string[] };

/** Level of a run without a value: the setting is off, or the run's method or environment does not have it. */
export const noValue = "none";

/** Maximum number of distinct values in a grid. */
const maxGridLevels = 12;

/**
 * Determines the scale: numeric if all values are numbers, or many distinct numbers and null. Else the values are
 * names: numbers in order, then texts, then `none`.
 */
export function scaleOf(values: Column["values"]): Scale {
  const numbers = values.filter((value) => typeof value === "number");
  const levels = [...new Set(numbers)].sort((a, b) => a - b);
  const isGrid = levels.length <= maxGridLevels && levels.length <= Math.max(2, numbers.length / 2);
  if (numbers.length > 0 && (numbers.length === values.length || (!isGrid && values.every(isNumberOrNothing)))) {
    return { kind: "numeric", isLog: isLogarithmic(levels), isGrid, levels };
  }
  const texts = values.filter((value) => typeof value === "string");
  const named = [...levels.map(String), ...new Set(texts.toSorted((a, b) => a.localeCompare(b, "en")))];
  return { kind: "named", levels: values.includes(null) ? [...named, noValue] : named };
}

export function nameLevel(value: string | number | null): string {
  return value === null ? noValue : String(value);
}

/** Returns true if ascending values are spaced by factors rather than differences, such as 1e-5, 1e-4, 1e-3. */
export function isLogarithmic(levels: readonly number[]): boolean {
  const [low = 0, high = 0] = [levels[0], levels.at(-1)];
  if (!(low > 0) || high / low < 10) return false;
  const inner = levels.slice(1, -1);
  if (inner.length === 0) return true;
  const middle = inner[Math.floor((inner.length - 1) / 2)] ?? low;
  const byFactor = Math.abs(Math.log(middle / low) / Math.log(high / low) - 0.5);
  const byDifference = Math.abs((middle - low) / (high - low) - 0.5);
  return byFactor < byDifference;
}

function isNumberOrNothing(value: string | number | null): boolean {
  return value === null || typeof value === "number";
}

/**
 * Converts values to a column; lists, dates and non-finite numbers become null. Texts become numbers if all are
 * numeric, because experiment trackers log parameters as strings.
 */
export function toColumnValues(values: readonly unknown[]): (string | number | null)[] {
  const plain = values.map((value) => {
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    return typeof value === "string" ? value : null;
  });
  const texts = plain.filter((value) => typeof value === "string");
  const isNumber = texts.length > 0 && texts.every((text) => text.trim() !== "" && Number.isFinite(Number(text)));
  return isNumber ? plain.map((value) => (typeof value === "string" ? Number(value) : value)) : plain;
}
