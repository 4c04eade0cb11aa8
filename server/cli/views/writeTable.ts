import type { Table } from "#server/domain/tables/table.ts";

/** A table in one of the formats of the command line. */
export async function writeTable(table: Table, format: "latex" | "markdown" | "csv" | "json"): Promise<string> {
  switch (format) {
    case "latex":
      return (await import("#server/domain/tables/latex.ts")).toLatex(table);
    case "markdown":
      return (await import("#server/domain/tables/markdown.ts")).toMarkdown(table);
    case "csv":
      return (await import("#server/domain/tables/csv.ts")).toCsv(table);
    case "json":
      return JSON.stringify(table, undefined, 2);
  }
}
