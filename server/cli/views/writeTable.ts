import type { Table } from "#server/domain/publish/tables/table.ts";

/** Formats a result table as LaTeX, Markdown, CSV or JSON. */
export async function writeTable(table: Table, format: "latex" | "markdown" | "csv" | "json"): Promise<string> {
  switch (format) {
    case "latex":
      return (await import("#server/domain/publish/tables/latex.ts")).toLatex(table);
    case "markdown":
      return (await import("#server/domain/publish/tables/markdown.ts")).toMarkdown(table);
    case "csv":
      return (await import("#server/domain/publish/tables/csv.ts")).toCsv(table);
    case "json":
      return JSON.stringify(table, undefined, 2);
  }
}
