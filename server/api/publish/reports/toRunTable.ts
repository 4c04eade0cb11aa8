import type { CellValue } from "#server/db/runs/table/rows.ts";
import type { Field } from "#server/domain/runs/table/field.ts";
import { formatField } from "#server/domain/runs/table/formatField.ts";
import { toTable } from "./toTable.ts";

/** Runs as an HTML table, one column per field. */
export function toRunTable(fields: readonly Field[], rows: readonly (readonly CellValue[])[]): string {
  return toTable({
    header: fields.map(({ title }) => title),
    rows: rows.map((values) => fields.map((field, i) => formatAny(values[i] ?? null, field))),
    areFigures: fields.map(({ type }) => type === "number" || type === "duration"),
  });
}

function formatAny(value: CellValue, field: Field): string {
  if (Array.isArray(value)) return value.join(", ");
  return value instanceof Date ? value.toISOString().slice(0, 16).replace("T", " ") : formatField(value, field);
}
