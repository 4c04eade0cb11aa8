import type { CellValue } from "#server/db/runs/table/rows.ts";
import { escapeHtml } from "#packages/tables";
import type { Field } from "#server/domain/runs/table/field.ts";
import { formatField } from "#server/domain/runs/table/formatField.ts";

/** Formats rows of text as an HTML table. `areFigures` marks numeric columns, which are right-aligned. */
export function toTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  areFigures: readonly boolean[],
): string {
  const cell = (tag: "th" | "td") => (text: string, i: number) =>
    `<${tag}${areFigures[i] === true ? ' class="figure"' : ""}${tag === "th" ? ' scope="col"' : ""}>${escapeHtml(text)}</${tag}>`;
  const head = `<tr>${header.map(cell("th")).join("")}</tr>`;
  const body = rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>`).join("");
  return `<div class="wide" role="group" tabindex="0" aria-label="Table"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>`;
}

export function toRunTable(fields: readonly Field[], rows: readonly (readonly CellValue[])[]): string {
  return toTable(
    fields.map(({ title }) => title),
    rows.map((values) => fields.map((field, i) => formatAny(values[i] ?? null, field))),
    fields.map(({ type }) => type === "number" || type === "duration"),
  );
}

function formatAny(value: CellValue, field: Field): string {
  if (Array.isArray(value)) return value.join(", ");
  return value instanceof Date ? value.toISOString().slice(0, 16).replace("T", " ") : formatField(value, field);
}
