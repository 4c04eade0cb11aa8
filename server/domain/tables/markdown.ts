import { markBest, type Mark } from "./marks.ts";
import { formatNumber } from "./number.ts";
import { listRunIds } from "./provenance.ts";
import type { Column, Table, TableCell } from "./table.ts";

/** GitHub-flavoured Markdown: best bold, second underlined, provenance in a comment. */
export function toMarkdown(table: Table): string {
  const marks = markBest(table);
  const { columns, rows, notes, provenance } = table;
  const line = (parts: readonly string[]) => `| ${parts.join(" | ")} |`;
  const isText = (c: number) => rows.some(({ cells }) => cells[c]?.kind === "text");
  const origin = [`sweep ${provenance.sweepName}`, ...(provenance.planHash ? [`plan ${provenance.planHash}`] : [])];
  const proof = provenance.proof ? [`npx arlarena table verify ${provenance.proof}`] : [];
  const comment = [...origin, `runs ${listRunIds(rows).join(" ")}`, ...proof].join("; ");
  return [
    // Two hyphens would end the comment.
    `<!-- ${comment.replaceAll(/\s+/g, " ").replaceAll("--", "- -").replaceAll(">", "&gt;")} -->`,
    "",
    escapeMarkdown(table.caption),
    "",
    line(columns.map(formatHeader)),
    line(columns.map((_, c) => (isText(c) ? ":--" : "--:"))),
    ...rows.map(({ cells }, r) =>
      line(columns.map((column, c) => formatCell(cells[c], column, marks[r]?.[c] ?? "none"))),
    ),
    ...notes.flatMap((note) => ["", escapeMarkdown(note)]),
    "",
  ].join("\n");
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "|": "\\|",
  "*": "\\*",
  _: "\\_",
  "`": "\\`",
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  "[": "\\[",
  "]": "\\]",
};

/** Escapes a plain text in one pass, for a table cell or a paragraph; nothing of it can become HTML or a link. */
export function escapeMarkdown(text: string): string {
  return Array.from(text.replaceAll(/\r\n?/g, "\n"), (c) => (c === "\n" ? "<br>" : (escapes[c] ?? c))).join("");
}

function formatHeader({ header, unit, better }: Column): string {
  const arrow = { up: " ↑", down: " ↓", none: "" }[better];
  return escapeMarkdown(header + (unit ? ` (${unit})` : "") + arrow);
}

function formatCell(cell: TableCell | undefined, { format }: Column, mark: Mark): string {
  switch (cell?.kind) {
    case undefined:
    case "missing":
      return "–";
    case "text":
      return escapeMarkdown(cell.text);
    case "number":
      return emphasize(formatNumber(cell.value, format), mark);
    case "meanStd": {
      const spread = Number.isNaN(cell.std) || Number.isNaN(cell.mean) ? "" : ` ± ${formatNumber(cell.std, format)}`;
      return emphasize(formatNumber(cell.mean, format), mark) + spread;
    }
  }
}

function emphasize(text: string, mark: Mark): string {
  if (mark === "best") return `**${text}**`;
  return mark === "second" ? `<u>${text}</u>` : text;
}
