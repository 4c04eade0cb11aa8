import { columnGroups, isTextColumn, makeCellWriter, markBest } from "./cellParts.ts";
import { provenanceComment } from "./markdown.ts";
import type { Column, Table } from "./table.ts";

/** Formats a self-contained element without style sheet or script. */
export function toHtml(table: Table): string {
  const { columns, rows, notes, footnotes = [] } = table;
  const marks = markBest(table);
  const align = columns.map((_, c) => (isTextColumn(rows, c) ? "left" : "right"));
  const body = rows.flatMap((row, r) => {
    const { cells, heading, isOurs, isChange, isReference } = row;
    const isNew = heading !== rows[r - 1]?.heading;
    const rule = r === 0 ? rules.head : isNew ? rules.middle : "";
    const parts = columns.map((column, c) => {
      const indent = c === 0 && isChange === true ? "padding-left:1.6em;" : "";
      return `<td style="${cellStyle}${indent}text-align:${align[c]};">${formatCell(cells[c], column, marks[r]?.[c] ?? "none")}</td>`;
    });
    const head =
      isNew && heading !== undefined
        ? [
            `<tr style="${rule}"><td colspan="${columns.length}" style="${cellStyle}"><i>${escapeHtml(heading)}</i></td></tr>`,
          ]
        : [];
    const ruleStyle = head.length > 0 ? "" : rule;
    return [
      ...head,
      `<tr style="${ruleStyle}${isOurs === true ? "background:#8883;" : ""}${isReference === true ? "font-style:italic;" : ""}">${parts.join("")}</tr>`,
    ];
  });
  const below = [
    ...footnotes.map(({ mark, text }) => `<p><sup>${mark}</sup> ${escapeHtml(text)}</p>`),
    ...notes.map((note) => `<p>${escapeHtml(note)}</p>`),
  ];
  return [
    provenanceComment(table),
    `<figure id="tab-${table.label.replaceAll(/[^A-Za-z0-9]+/g, "-")}">`,
    '<table style="border-collapse:collapse;">',
    `<caption style="text-align:left;padding-bottom:.5em;">${escapeHtml(table.caption)}</caption>`,
    `<thead style="${rules.top}">`,
    ...formatGroups(columns),
    `<tr>${columns.map((column, c) => `<th scope="col" style="${cellStyle}text-align:${align[c]};">${formatHeader(column)}</th>`).join("")}</tr>`,
    "</thead>",
    `<tbody style="${rules.bottom}">`,
    ...body,
    "</tbody>",
    "</table>",
    ...(below.length > 0 ? [`<figcaption><small>${below.join("")}</small></figcaption>`] : []),
    "</figure>",
    "",
  ].join("\n");
}

const cellStyle = "padding:.15em .6em;";
const rules = {
  top: "border-top:.12em solid;",
  head: "border-top:.06em solid;",
  middle: "border-top:.06em solid;",
  bottom: "border-bottom:.12em solid;",
} as const;

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return Array.from(text, (character) => escapes[character] ?? character).join("");
}

function formatGroups(columns: readonly Column[]): string[] {
  const groups = columnGroups(columns);
  if (groups.length === 0) return [];
  const heads = groups.map(({ name, span }) => {
    const rule = name === "" ? "" : "border-bottom:.06em solid;";
    return `<th colspan="${span}" scope="colgroup" style="${cellStyle}${rule}text-align:center;">${escapeHtml(name)}</th>`;
  });
  return [`<tr>${heads.join("")}</tr>`];
}

function formatHeader({ header, unit, better }: Column): string {
  const arrow = { up: " ↑", down: " ↓", none: "" }[better];
  return escapeHtml(header + (unit ? ` (${unit})` : "") + arrow);
}

const formatCell = makeCellWriter({
  nan: "nan",
  none: "–",
  percent: "%",
  text: ({ text }) => escapeHtml(text),
  number: (text) => escapeHtml(text.replace("-", "−")),
  change: (text) => text.replace("-", "−"),
  spread: (text, isPlusMinus) => `<small> ${isPlusMinus ? "± " : ""}${text.replaceAll("-", "−")}</small>`,
  stars: (stars) => stars,
  dagger: (numCollapsed) => `†${numCollapsed}`,
  superscript: (signs) => `<sup>${signs}</sup>`,
  aside: (text) => `<small> (${text})</small>`,
  best: (text) => `<b>${text}</b>`,
  second: (text) => `<u>${text}</u>`,
});
