import type { Interval } from "#packages/statistics";
import { type Column, type TableCell, estimateCell } from "#packages/tables";

export function shareColumn(key: string, header: string): Column {
  return { key, header, unit: "%", better: "none", format: { shift: 2, decimals: 0 } };
}

export function numberColumn(key: string, header: string, decimals = 0): Column {
  return { key, header, better: "none", format: { shift: 0, decimals } };
}

export function pColumn(key: string, header: string): Column {
  return { key, header, better: "none", format: { shift: 0, decimals: 3, isP: true } };
}

/** Makes a cell of a value and its interval; missing if there are no data. */
export function intervalCell(value: number, n: number, interval: Interval): TableCell {
  return n === 0 || !Number.isFinite(value) ? { kind: "missing" } : estimateCell(value, n, interval);
}
