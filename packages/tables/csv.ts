import { spreadFrom } from "#packages/statistics";
import { fromMinimum, metricOf } from "./cellParts.ts";
import type { Column, Row, Table, TableCell } from "./table.ts";

/** Number in full precision, text, or null for an empty field. */
export type CsvValue = string | number | null;

/**
 * Formats CSV by RFC 4180 (CRLF, quotes doubled). Means, `std`, counts and 95 % bounds (`ci_lo`, `ci_hi`) have columns
 * of their own, unrounded and unscaled. The last two columns are a row's plan and runs.
 */
export function toCsv(table: Table): string {
  const { columns, provenance } = table;
  // Rows of changes from the baseline are omitted, since they follow from the other rows.
  const rows = table.rows.filter(({ isChange }) => isChange !== true);
  const hasHeadings = rows.some(({ heading }) => heading !== undefined);
  const fields = columns.map((_, c) => fieldsOf(rows, c));
  const header = columns.flatMap(({ group = "", header }, c) => {
    const name = group === "" ? header : `${group} ${header}`;
    return (fields[c] ?? [""]).map((field) => (field === "" ? name : `${name} ${field}`));
  });
  const toValues = ({ cells, runIds, heading }: Row): CsvValue[] => [
    ...(hasHeadings ? [heading ?? null] : []),
    ...columns.flatMap((column, c) => listValues(cells[c], column, fields[c] ?? [""])),
    provenance.planHash ?? null,
    runIds.join(" "),
  ];
  return toCsvText([[...(hasHeadings ? ["group"] : []), ...header, "plan", "runs"], ...rows.map(toValues)]);
}

/** Lists suffixes of CSV columns; the value itself has the suffix "". */
function fieldsOf(rows: readonly Row[], column: number): readonly string[] {
  const kinds = new Set(rows.map(({ cells }) => cells[column]?.kind));
  if (kinds.has("estimate")) return ["mean", "std", "n", "ci_lo", "ci_hi", "p_holm"];
  if (kinds.has("share")) return ["k", "n"];
  return kinds.has("meanStd") ? ["mean", "std", "n", "ci_lo", "ci_hi"] : [""];
}

export function toCsvText(lines: readonly (readonly CsvValue[])[]): string {
  return lines.map((values) => `${values.map(formatValue).join(",")}\r\n`).join("");
}

function listValues(cell: TableCell | undefined, column: Column, fields: readonly string[]): CsvValue[] {
  const values = valuesOf(cell, column);
  return fields.map((_, i) => values[i] ?? null);
}

function valuesOf(cell: TableCell | undefined, column: Column): CsvValue[] {
  const metric = metricOf(column);
  switch (cell?.kind) {
    case undefined:
    case "missing":
      return [];
    case "meanStd": {
      const { interval } = spreadFrom(cell, metric);
      return [cell.mean, cell.std, cell.n, interval?.low ?? null, interval?.high ?? null];
    }
    case "estimate": {
      const { mean, std, n, correctedP = null } = cell;
      const interval = cell.interval && fromMinimum(cell.interval, cell.mean, column);
      return [mean, std, n, interval?.low ?? null, interval?.high ?? null, correctedP];
    }
    case "share":
      return [cell.k, cell.n];
    case "number":
    case "change":
      return [cell.value];
    case "text":
      return [cell.text];
  }
}

function formatValue(value: CsvValue): string {
  if (value === null) return "";
  if (typeof value === "number") return Number.isNaN(value) ? "" : String(value);
  return quote(guardFormula(value));
}

/** Spreadsheets would execute a text that starts like a formula. */
function guardFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
