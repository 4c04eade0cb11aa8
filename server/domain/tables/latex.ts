import { markBest, type Mark } from "./marks.ts";
import { formatNumber } from "./number.ts";
import { listRunIds } from "./provenance.ts";
import type { Column, Table, TableCell } from "./table.ts";

/** LaTeX with booktabs rules; needs \usepackage{booktabs} and nothing else. */
export function toLatex(table: Table): string {
  const marks = markBest(table);
  const { columns, rows, notes } = table;
  const alignment = columns.map((_, c) => (isText(table, c) ? "l" : "r")).join("");
  const body = rows.map(({ cells }, r) =>
    columns.map((column, c) => formatCell(cells[c], column, marks[r]?.[c] ?? "none")).join(" & "),
  );
  return [
    ...comments(table),
    "\\begin{table}[t]",
    "\\centering\\small",
    `\\caption{${escapeLatex(table.caption)}}`,
    `\\label{tab:${table.label.replaceAll(/[^A-Za-z0-9]+/g, "-")}}`,
    `\\begin{tabular}{${alignment}}`,
    "\\toprule",
    `${columns.map(formatHeader).join(" & ")} \\\\`,
    "\\midrule",
    ...body.map((line) => `${line} \\\\`),
    "\\bottomrule",
    "\\end{tabular}",
    ...notes.map((note) => `\\par\\smallskip{\\footnotesize ${escapeLatex(note)}}`),
    "\\end{table}",
    "",
  ].join("\n");
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "&": "\\&",
  "%": "\\%",
  $: "\\$",
  "#": "\\#",
  _: "\\_",
  "{": "\\{",
  "}": "\\}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "±": "$\\pm$",
  "×": "$\\times$",
  "·": "$\\cdot$",
  "→": "$\\rightarrow$",
  Δ: "$\\Delta$",
  "↑": "$\\uparrow$",
  "↓": "$\\downarrow$",
  "−": "$-$",
  "–": "--",
  "†": "$^{\\dagger}$",
};

/** Escapes a plain text in one pass: replacing one character after another would escape the escapes. */
export function escapeLatex(text: string): string {
  return Array.from(text, (character) => escapes[character] ?? character)
    .join("")
    .replaceAll(/\s+/g, " ");
}

function formatHeader({ header, unit, better }: Column): string {
  const arrow = { up: " $\\uparrow$", down: " $\\downarrow$", none: "" }[better];
  return escapeLatex(header) + (unit ? ` (${escapeLatex(unit)})` : "") + arrow;
}

function formatCell(cell: TableCell | undefined, column: Column, mark: Mark): string {
  switch (cell?.kind) {
    case undefined:
    case "missing":
      return "--";
    case "text":
      return cell.latex ?? escapeLatex(cell.text);
    case "number":
      return emphasize(formatValue(cell.value, column), mark);
    case "meanStd": {
      const spread = Number.isNaN(cell.std) ? "" : `{\\scriptsize$\\pm$${formatNumber(cell.std, column.format)}}`;
      return emphasize(formatValue(cell.mean, column), mark) + (Number.isNaN(cell.mean) ? "" : spread);
    }
  }
}

function formatValue(x: number, { format }: Column): string {
  if (!Number.isFinite(x)) return `\\textsc{${formatNumber(x, format).replace("-", "$-$")}}`;
  return formatNumber(x, format).replace("-", "$-$");
}

function emphasize(text: string, mark: Mark): string {
  if (mark === "best") return `\\textbf{${text}}`;
  return mark === "second" ? `\\underline{${text}}` : text;
}

function comments({ provenance, rows }: Table): string[] {
  const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");
  return [
    `% Sweep: ${oneLine(provenance.sweepName)}`,
    ...(provenance.planHash ? [`% Plan: ${provenance.planHash}`] : []),
    `% Runs: ${listRunIds(rows).join(" ")}`,
    ...(provenance.proof ? [`% Proof: npx arlarena table verify ${provenance.proof}`] : []),
    "% \\usepackage{booktabs}",
  ];
}

function isText({ rows }: Table, column: number): boolean {
  return rows.some(({ cells }) => cells[column]?.kind === "text");
}
