import { toCsv } from "./csv.ts";
import { toHtml } from "./html.ts";
import { toLatex } from "./latex.ts";
import { toMarkdown } from "./markdown.ts";
import type { Table } from "./table.ts";

export const tableFormats = ["latex", "markdown", "html", "csv", "json"] as const;
export type TableFormat = (typeof tableFormats)[number];

type Printed = { title: string; extension: string; type: string; print: (table: Table) => string };

export const formatOf: Readonly<Record<TableFormat, Printed>> = {
  latex: { title: "LaTeX", extension: "tex", type: "application/x-tex", print: toLatex },
  markdown: { title: "Markdown", extension: "md", type: "text/markdown", print: toMarkdown },
  html: { title: "HTML", extension: "html", type: "text/html", print: toHtml },
  csv: { title: "CSV", extension: "csv", type: "text/csv", print: toCsv },
  json: {
    title: "JSON",
    extension: "json",
    type: "application/json",
    print: (table) => JSON.stringify(table, null, 2),
  },
};
