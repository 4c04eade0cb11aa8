import type { Column } from "#server/domain/importance/column.ts";

/** A column that varies between runs. */
export type VariedColumn = { column: Column; numLevels: number; isNumeric: boolean };

/** What was asked for; what is absent or does not vary is chosen. `by` "none": one diagram. */
export type PhaseChoice = { x?: string | undefined; y?: string | undefined; by?: string | undefined };

type Chosen = { x: VariedColumn; y: VariedColumn; by: VariedColumn | undefined };

/**
 * The axes: numbers first and of those what varies most, but after methods and environments what only goes along with them. Up
 * stands the first that was crossed with what stands across. Diagrams by method, unless that is an axis. Undefined where
 * fewer than two columns vary.
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
  // Many names have more room under each other than side by side.
  return !isAsked && !x.isNumeric && !y.isNumeric && x.numLevels > y.numLevels ? { x: y, y: x, by } : { x, y, by };
}

/** Settings that are numbers and vary by themselves, not only with the method or the environment: a diagram needs two. */
export function countNumericVaried(varied: readonly VariedColumn[]): number {
  const names = varied.filter(isName);
  return varied.filter((one) => rankOf(one, names) === 0).length;
}

/** Names of things that a person compares rather than sets. */
function isName({ column: { key } }: VariedColumn): boolean {
  return key === "method" || key === "environment";
}

function rankOf(one: VariedColumn, names: readonly VariedColumn[]): number {
  if (isName(one)) return 2;
  if (isImplied(one, names)) return 3;
  return one.isNumeric ? 0 : 1;
}

/** Whether runs of the same method and environment all have the same value of it. */
function isImplied({ column }: VariedColumn, names: readonly VariedColumn[]): boolean {
  const valueOf = new Map<string, Column["values"][number]>();
  return column.values.every((value, run) => {
    const key = JSON.stringify(names.map((one) => one.column.values[run]));
    if (!valueOf.has(key)) valueOf.set(key, value);
    return valueOf.get(key) === value;
  });
}

/** How many levels as many runs each would vary as much: exp of the entropy of the levels' shares. */
function spreadOf({ column: { values } }: VariedColumn): number {
  const counts = new Map<Column["values"][number], number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const entropy = [...counts.values()].reduce((sum, n) => sum - (n / values.length) * Math.log(n / values.length), 0);
  return Math.exp(entropy);
}

/** Whether at least half of the pairs of their levels were run. */
function isCrossed(a: VariedColumn, b: VariedColumn): boolean {
  const pairs = new Set(a.column.values.map((value, run) => JSON.stringify([value, b.column.values[run]])));
  return pairs.size >= (a.numLevels * b.numLevels) / 2;
}
