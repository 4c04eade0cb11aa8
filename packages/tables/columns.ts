import type { NumberFormat } from "#packages/base";
import type { Interval } from "#packages/statistics";
import { type Column, estimateCell, type TableCell } from "./table.ts";

export const plainFormat: NumberFormat = { shift: 0, decimals: 0 };

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

export function textColumn(key: string, header: string): Column {
  return { key, header, better: "none", format: plainFormat };
}

export function textCell(text: string): TableCell {
  return { kind: "text", text };
}

/** Makes the cell of a number; missing if it is not finite. */
export function numberCell(value: number): TableCell {
  return Number.isFinite(value) ? { kind: "number", value } : { kind: "missing" };
}
