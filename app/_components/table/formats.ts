import { toCsv } from "#server/domain/publish/tables/csv.ts";
import { toHtml } from "#server/domain/publish/tables/html.ts";
import { toLatex } from "#server/domain/publish/tables/latex.ts";
import { toMarkdown } from "#server/domain/publish/tables/markdown.ts";
import type { Table } from "#server/domain/publish/tables/table.ts";

export const formats = {
  latex: { title: "LaTeX", extension: "tex", type: "application/x-tex", print: toLatex },
  markdown: { title: "Markdown", extension: "md", type: "text/markdown", print: toMarkdown },
  html: { title: "HTML", extension: "html", type: "text/html", print: toHtml },
  csv: { title: "CSV", extension: "csv", type: "text/csv", print: toCsv },
} as const satisfies Record<
  string,
  { title: string; extension: string; type: string; print: (table: Table) => string }
>;

/** Export format: a format of the table itself, or "runs" for the underlying values of each run as CSV. */
export type Format = keyof typeof formats | "runs";
export const formatChoices = [
  { value: "latex", label: "LaTeX" },
  { value: "markdown", label: "Markdown" },
  { value: "html", label: "HTML" },
  { value: "csv", label: "CSV" },
  { value: "runs", label: "CSV, run by run" },
] as const;

/** Formats a table as text; returns it with the file's extension and media type. */
export function printAs(format: Format, table: Table, longCsv: string) {
  if (format === "runs") return { text: longCsv, extension: formats.csv.extension, type: formats.csv.type };
  const { print, extension, type } = formats[format];
  return { text: print(table), extension, type };
}

/** Returns a file name made of words about the content: "quick-look_evaluation-successRate_final.tex". */
export function nameFile(parts: readonly string[], extension: string): string {
  const plain = (text: string) => text.replaceAll(/[^A-Za-z0-9.]+/g, "-").replaceAll(/^-+|-+$/g, "");
  return `${parts.map(plain).filter(Boolean).join("_")}.${extension}`;
}

/**
 * Returns the table without the columns whose keys are in `left`. The first column, which names the rows, is always
 * kept.
 */
export function withoutColumns(table: Table, left: ReadonlySet<string>): Table {
  const kept = table.columns.map(({ key }, i) => i === 0 || !left.has(key));
  return {
    ...table,
    columns: table.columns.filter((_, i) => kept[i]),
    rows: table.rows.map((row) => ({ ...row, cells: row.cells.filter((_, i) => kept[i]) })),
  };
}
