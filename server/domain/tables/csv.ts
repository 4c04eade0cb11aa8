import type { Row, Table, TableCell } from "./table.ts";

/** A value of a CSV file: numbers in full precision, texts guarded. Null is an empty field. */
export type CsvValue = string | number | null;

/**
 * RFC 4180: CRLF, quotes doubled. Means, deviations and counts stand in columns of their own, unrounded and without
 * unit scaling; plan and runs of a row are its last two columns.
 */
export function toCsv(table: Table): string {
  const { columns, rows, provenance } = table;
  const spread = columns.map((_, c) => rows.some(({ cells }) => cells[c]?.kind === "meanStd"));
  const header = columns.flatMap(({ header }, c) =>
    spread[c] ? [`${header} mean`, `${header} std`, `${header} n`] : [header],
  );
  const toValues = ({ cells, runIds }: Row): CsvValue[] => [
    ...columns.flatMap((_, c) => listValues(cells[c], spread[c] ?? false)),
    provenance.planHash ?? null,
    runIds.join(" "),
  ];
  return toCsvText([[...header, "plan", "runs"], ...rows.map(toValues)]);
}

export function toCsvText(lines: readonly (readonly CsvValue[])[]): string {
  return lines.map((values) => `${values.map(formatValue).join(",")}\r\n`).join("");
}

function listValues(cell: TableCell | undefined, isSpread: boolean): CsvValue[] {
  if (cell?.kind === "meanStd") return [cell.mean, cell.std, cell.n];
  const single = cell?.kind === "number" ? cell.value : cell?.kind === "text" ? cell.text : null;
  return isSpread ? [single, null, null] : [single];
}

function formatValue(value: CsvValue): string {
  if (value === null) return "";
  if (typeof value === "number") return Number.isNaN(value) ? "" : String(value);
  return quote(guardFormula(value));
}

/** A spreadsheet runs a text that begins like a formula; a leading apostrophe keeps it a text. */
function guardFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
