import { type Table, type TableFormat, formatOf, tableFormats } from "#packages/tables";

/** Export format: a format of the table itself, or "runs" for the underlying values of each run as CSV. */
export type Format = TableFormat | "runs";
export const formatChoices: readonly { value: Format; label: string }[] = [
  ...tableFormats.map((value) => ({ value, label: formatOf[value].title })),
  { value: "runs", label: "Runs as CSV" },
];

export function printAs(format: Format, table: Table, longCsv: string) {
  if (format === "runs") return { text: longCsv, extension: formatOf.csv.extension, type: formatOf.csv.type };
  const { print, extension, type } = formatOf[format];
  return { text: print(table), extension, type };
}

/** Returns a file name made of words about the content: "quick-look_evaluation-successRate_final.tex". */
export function nameFile(parts: readonly string[], extension: string): string {
  const plain = (text: string) => text.replaceAll(/[^A-Za-z0-9.]+/g, "-").replaceAll(/^-+|-+$/g, "");
  return `${parts.map(plain).filter(Boolean).join("_")}.${extension}`;
}

/** Returns the table without the columns in `left`. The first column, which names the rows, is always kept. */
export function withoutColumns(table: Table, left: ReadonlySet<string>): Table {
  const kept = table.columns.map(({ key }, i) => i === 0 || !left.has(key));
  return {
    ...table,
    columns: table.columns.filter((_, i) => kept[i]),
    rows: table.rows.map((row) => ({ ...row, cells: row.cells.filter((_, i) => kept[i]) })),
  };
}
