import { escapeHtml } from "#server/domain/publish/tables/html.ts";

/** Texts as an HTML table. `areFigures` marks numeric columns, which are right-aligned. */
export function toTable({
  header,
  rows,
  areFigures,
}: {
  header: readonly string[];
  rows: readonly (readonly string[])[];
  areFigures: readonly boolean[];
}): string {
  const cell = (tag: "th" | "td") => (text: string, i: number) =>
    `<${tag}${areFigures[i] === true ? ' class="figure"' : ""}${tag === "th" ? ' scope="col"' : ""}>${escapeHtml(text)}</${tag}>`;
  const head = `<tr>${header.map(cell("th")).join("")}</tr>`;
  const body = rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>`).join("");
  return `<div class="wide" role="group" tabindex="0" aria-label="Table"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>`;
}
