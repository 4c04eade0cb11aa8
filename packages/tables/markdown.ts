import { columnGroups, isTextColumn, makeCellWriter, markBest } from "./cellParts.ts";
import { type Column, listRunIds, type Table } from "./table.ts";

/** Formats GitHub-flavoured Markdown: best bold, second underlined. A heading is a row of its own. */
export function toMarkdown(table: Table): string {
  const marks = markBest(table);
  const { columns, rows, notes, footnotes = [] } = table;
  const line = (parts: readonly string[]) => `| ${parts.join(" | ")} |`;
  const hasGroups = columnGroups(columns).length > 0;
  const body = rows.flatMap(({ cells, heading, isReference }, r) => {
    const plain = columns.map((column, c) => formatCell(cells[c], column, marks[r]?.[c] ?? "none"));
    const parts = isReference === true ? plain.map((part) => (part === "" ? "" : `*${part}*`)) : plain;
    if (heading === undefined || heading === rows[r - 1]?.heading) return [line(parts)];
    return [line([`*${escapeMarkdown(heading)}*`, ...columns.slice(1).map(() => "")]), line(parts)];
  });
  return [
    provenanceComment(table),
    "",
    escapeMarkdown(table.caption),
    "",
    line(columns.map((column) => formatHeader(column, hasGroups))),
    line(columns.map((_, c) => (isTextColumn(rows, c) ? ":--" : "--:"))),
    ...body,
    ...footnotes.flatMap(({ mark, text }) => ["", `<sup>${mark}</sup> ${escapeMarkdown(text)}`]),
    ...notes.flatMap((note) => ["", escapeMarkdown(note)]),
    "",
  ].join("\n");
}

export function provenanceComment({ provenance, rows }: Table): string {
  const origin = [`sweep ${provenance.sweepName}`, ...(provenance.planHash ? [`plan ${provenance.planHash}`] : [])];
  const proof = provenance.proof ? [`npx arlarena table verify ${provenance.proof}`] : [];
  const comment = [...origin, `runs ${listRunIds(rows).join(" ")}`, ...proof].join("; ");
  // Two hyphens would end the HTML comment.
  return `<!-- ${comment.replaceAll(/\s+/g, " ").replaceAll("--", "- -").replaceAll(">", "&gt;")} -->`;
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "|": "\\|",
  "*": "\\*",
  _: "\\_",
  "`": "\\`",
  "~": "\\~",
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  "[": "\\[",
  "]": "\\]",
};

/** Escapes in one pass, so that no part becomes HTML or a link. */
export function escapeMarkdown(text: string): string {
  return Array.from(text.replaceAll(/\r\n?/g, "\n"), (c) => (c === "\n" ? "<br>" : (escapes[c] ?? c))).join("");
}

function formatHeader({ header, group, unit, better }: Column, hasGroups: boolean): string {
  const arrow = { up: " ↑", down: " ↓", none: "" }[better];
  const name = hasGroups && group !== undefined && group !== "" ? `${group}: ${header}` : header;
  return escapeMarkdown(name + (unit ? ` (${unit})` : "") + arrow);
}

const formatCell = makeCellWriter({
  nan: "nan",
  none: "–",
  percent: "%",
  text: ({ text }) => escapeMarkdown(text),
  number: escapeMarkdown,
  change: (text) => text,
  spread: (text, isPlusMinus) => (isPlusMinus ? ` ± ${text}` : ` ${escapeMarkdown(text)}`),
  stars: escapeMarkdown,
  dagger: (numCollapsed) => `†${numCollapsed}`,
  superscript: (signs) => `<sup>${signs}</sup>`,
  aside: (text) => ` (${text})`,
  best: (text) => `**${text}**`,
  second: (text) => `<u>${text}</u>`,
});
