import type { Column } from "../hyperparameters/column.ts";

export type VariedColumn = { column: Column; numLevels: number; isNumeric: boolean };

/**
 * Requested columns, by key. An absent or constant column is replaced by a default; "none" for `by` requests a single
 * diagram.
 */
export type PhaseChoice = { x?: string | undefined; y?: string | undefined; by?: string | undefined };

type Chosen = { x: VariedColumn; y: VariedColumn; by: VariedColumn | undefined };

/**
 * Chooses the axes; undefined if fewer than two columns vary. Numeric columns come first, by spread, and columns that
 * method or environment determine last. The y-axis is preferably combined with half of the x-axis's values. Diagrams
 * are split by method or environment, unless both are axes.
 */
export function chooseColumns(varied: readonly VariedColumn[], choice: PhaseChoice): Chosen | undefined {
  const names = varied.filter(isName);
  const ranks = new Map(varied.map((one) => [one, [rankOf(one, names), -spreadOf(one)] as const]));
  const ranked = varied.toSorted((a, b) => {
    const [[rankA, spreadA], [rankB, spreadB]] = [ranks.get(a) ?? [0, 0], ranks.get(b) ?? [0, 0]];
    return rankA - rankB || spreadA - spreadB;
  });
  const find = (key: string | undefined) => varied.find(({ column }) => column.key === key);
  const x = find(choice.x) ?? ranked.find(({ column }) => column.key !== choice.y);
  if (!x) return undefined;
  const others = ranked.filter((one) => one !== x);
  const asked = find(choice.y);
  const y = asked && asked !== x ? asked : (others.find((one) => isCrossed(x, one)) ?? others[0]);
  if (!y) return undefined;
  const free = varied.filter((one) => one !== x && one !== y);
  const by =
    choice.by === "none" ? undefined : (free.find(({ column }) => column.key === choice.by) ?? free.find(isName));
  const isAsked = choice.x !== undefined || choice.y !== undefined;
  // A column of many names fits better as diagram rows than as diagram columns.
  return !isAsked && !x.isNumeric && !y.isNumeric && x.numLevels > y.numLevels ? { x: y, y: x, by } : { x, y, by };
}

/** Counts numeric settings that vary independently of method and environment. */
export function countNumericVaried(varied: readonly VariedColumn[]): number {
  const names = varied.filter(isName);
  return varied.filter((one) => rankOf(one, names) === 0).length;
}

/** True for method and environment, which are compared rather than tuned. */
function isName({ column: { key } }: VariedColumn): boolean {
  return key === "method" || key === "environment";
}

function rankOf(one: VariedColumn, names: readonly VariedColumn[]): number {
  if (isName(one)) return 2;
  if (isImplied(one, names)) return 3;
  return one.isNumeric ? 0 : 1;
}

/** True if method and environment determine the column's value. */
function isImplied({ column }: VariedColumn, names: readonly VariedColumn[]): boolean {
  const valueOf = new Map<string, Column["values"][number]>();
  return column.values.every((value, run) => {
    const key = JSON.stringify(names.map((one) => one.column.values[run]));
    if (!valueOf.has(key)) valueOf.set(key, value);
    return valueOf.get(key) === value;
  });
}

/** Returns the effective number of levels: the exponential of their frequencies' entropy. */
function spreadOf({ column: { values } }: VariedColumn): number {
  const counts = new Map<Column["values"][number], number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const entropy = [...counts.values()].reduce((sum, n) => sum - (n / values.length) * Math.log(n / values.length), 0);
  return Math.exp(entropy);
}

/** True if at least half of the combinations of levels occur. */
function isCrossed(a: VariedColumn, b: VariedColumn): boolean {
  const pairs = new Set(a.column.values.map((value, run) => JSON.stringify([value, b.column.values[run]])));
  return pairs.size >= (a.numLevels * b.numLevels) / 2;
}
