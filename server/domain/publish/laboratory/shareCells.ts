import type { Interval } from "#packages/statistics";
import type { Column, TableCell } from "../tables/table.ts";

/** Makes a column of rates in percent, whose values are not ranked. */
export function shareColumn(key: string, header: string): Column {
  return { key, header, unit: "%", better: "none", format: { shift: 2, decimals: 0 } };
}

export function numberColumn(key: string, header: string, decimals = 0): Column {
  return { key, header, better: "none", format: { shift: 0, decimals } };
}

export function pColumn(key: string, header: string): Column {
  return { key, header, better: "none", format: { shift: 0, decimals: 3, isP: true } };
}

/** Makes a table cell of a number with the bounds of its interval; missing if there are no data. */
export function intervalCell(value: number, n: number, interval: Interval): TableCell {
  if (n === 0 || !Number.isFinite(value)) return { kind: "missing" };
  const { low, high } = interval;
  const hasInterval = Number.isFinite(low) && Number.isFinite(high);
  return {
    kind: "estimate",
    mean: value,
    std: NaN,
    n,
    ...(hasInterval && { interval: { low, high } }),
    shown: hasInterval ? { kind: "interval", low, high } : { kind: "none" },
    stars: "",
    marks: [],
  };
}
