import { evidenceRules } from "#server/domain/statistics/evidence.ts";
import { meanInterval } from "#server/domain/statistics/studentT.ts";
import type { Field } from "./field.ts";

/** Runs that have the same value of each of some fields, and what each column holds for them. */
export type RawGroup = {
  keys: (string | null)[];
  count: number;
  numSweeps: number;
  values: ((number | null)[] | (string | null)[])[];
};

/** What a column comes to over the runs of a group. */
export type GroupCell =
  /** `halfWidth` of the 95 % t interval; null where seeds are too few for one. */
  | { kind: "mean"; mean: number; halfWidth: number | null; n: number }
  | { kind: "same"; value: string | number }
  | { kind: "several"; count: number }
  | { kind: "none" };

export type RunGroup = { keys: (string | null)[]; count: number; numSweeps: number; cells: GroupCell[] };

/** Metrics are averaged, as everywhere, with their interval from three runs on; of other columns only what is the same is shown. */
export function summariseGroup({ values, ...group }: RawGroup, columns: readonly Field[]): RunGroup {
  return { ...group, cells: columns.map((field, i) => summarise(values[i] ?? [], field)) };
}

function summarise(all: readonly (number | string | null)[], { group, type }: Field): GroupCell {
  const values = all.filter((value) => value !== null);
  if (values.length === 0) return { kind: "none" };
  const numbers = values.filter((value) => typeof value === "number");
  const isMeasured = group === "Metric" || type === "duration";
  if (isMeasured && numbers.length === values.length) {
    const { mean, halfWidth } = meanInterval(numbers);
    const hasInterval = numbers.length >= evidenceRules.forIntervals;
    return { kind: "mean", mean, halfWidth: hasInterval ? halfWidth : null, n: numbers.length };
  }
  const different = new Set(values);
  const [first] = different;
  return different.size === 1 && first !== undefined && values.length === all.length
    ? { kind: "same", value: first }
    : { kind: "several", count: different.size };
}

export type GroupOrder = readonly { field: string; isDescending: boolean }[];

/** By the values that make the groups, by what their columns come to, or by how many runs they have (`count`). */
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
  return cell?.kind === "same" ? cell.value : null;
}

/** What is missing comes last, whichever way. */
function compare(a: string | number | null, b: string | number | null, sign: number): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en");
}
