import type { CollapseCount } from "#packages/detector";
import { spreadFrom, type Spread } from "#packages/statistics";
import { unitOf, type Field } from "./field.ts";

export type RawGroup = {
  keys: (string | null)[];
  count: number;
  numSweeps: number;
  numEnvironments: number;
  columns: RawColumn[];
};

/**
 * `n` runs have a value. A measured column has mean and variance, labels and alarms have counts of the judged runs, any
 * other column its number of distinct values and one of them.
 */
export type RawColumn = { n: number } & (
  | { mean: number | null; variance: number | null }
  | CollapseCount
  | { numDifferent: number; one: string | number | null }
);

export type GroupCell =
  | ({ kind: "mean" } & Spread)
  /** Labels in hindsight; for alarms, `numCollapsed` counts unstable or worse. */
  | ({ kind: "collapses" } & CollapseCount)
  | { kind: "same"; value: string | number }
  | { kind: "several"; count: number }
  | { kind: "none" };

export type RunGroup = { keys: (string | null)[]; count: number; numSweeps: number; cells: GroupCell[] };

/**
 * A column that is not measured shows a value only if all runs have the same. Metrics of several environments have no
 * mean: the cell gives the number of environments.
 */
export function summariseGroup(
  { columns, numEnvironments, ...group }: RawGroup,
  fields: readonly Pick<Field, "key" | "group">[],
): RunGroup {
  const cells = columns.map((column, i): GroupCell => {
    if (fields[i]?.group === "Metric" && numEnvironments > 1) return { kind: "several", count: numEnvironments };
    return summarise(column, { count: group.count, key: fields[i]?.key ?? "" });
  });
  return { ...group, cells };
}

function summarise({ n, ...column }: RawColumn, { count, key }: { count: number; key: string }): GroupCell {
  if (n === 0) return { kind: "none" };
  if ("mean" in column) {
    const moments = { mean: column.mean ?? NaN, std: Math.sqrt(column.variance ?? NaN), n };
    return { kind: "mean", ...spreadFrom(moments, unitOf(key)) };
  }
  if ("numJudged" in column) return { kind: "collapses", ...column };
  const { numDifferent, one } = column;
  return numDifferent === 1 && one !== null && n === count
    ? { kind: "same", value: one }
    : { kind: "several", count: numDifferent };
}

export type GroupOrder = readonly { field: string; isDescending: boolean }[];

/** Sorts groups of runs by grouping values, by column summaries, or by number of runs (`count`). */
export function sortGroups(
  groups: readonly RunGroup[],
  order: GroupOrder,
  fields: { by: readonly Field[]; columns: readonly Field[] },
): RunGroup[] {
  const sorts = order.map(({ field, isDescending }) => {
    const [key, column] = [fields.by, fields.columns].map((list) => list.findIndex((one) => one.key === field));
    const isNumber = fields.by[key ?? -1]?.type === "number" || fields.by[key ?? -1]?.type === "duration";
    const read = ({ keys, cells, count }: RunGroup) => {
      if (field === "count") return count;
      const text = keys[key ?? -1];
      if (text !== undefined) return text !== null && isNumber ? Number(text) : text;
      return valueOf(cells[column ?? -1]);
    };
    return { read, sign: isDescending ? -1 : 1 };
  });
  return groups.toSorted((a, b) => {
    for (const { read, sign } of sorts) {
      const by = compare(read(a), read(b), sign);
      if (by !== 0) return by;
    }
    return 0;
  });
}

function valueOf(cell: GroupCell | undefined): string | number | null {
  if (cell?.kind === "mean") return cell.mean;
  if (cell?.kind === "collapses") return cell.numCollapsed / cell.numJudged;
  return cell?.kind === "same" ? cell.value : null;
}

/** Compares two values; missing values come last in both sorting directions. */
function compare(a: string | number | null, b: string | number | null, sign: number): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en");
}
