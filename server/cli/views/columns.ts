import { stripVTControlCharacters, styleText } from "node:util";
import type { Screen } from "../command.ts";

export type Style = "green" | "red" | "yellow" | "cyan" | "dim";
export type StyledText = { text: string; style?: Style };
type TextCell = string | StyledText;
/** Title of a column; `number` aligns the column to the right. */
type TextColumn = string | { number: string };

/** Formats rows as aligned columns. On a terminal, the widest are cut until lines fit; in a pipe, no text is cut. */
export function toColumns(
  columns: readonly TextColumn[],
  rows: readonly (readonly TextCell[])[],
  { width, hasColour }: Pick<Screen, "width" | "hasColour">,
): string {
  const heads = columns.map((column): StyledText => ({ text: titleOf(column), style: "dim" }));
  const lines = [heads, ...rows.map((row) => row.map(toStyled))];
  const natural = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, lengthOf(line[index]?.text ?? "")), 0),
  );
  const widths = width === undefined ? natural : narrow(natural, width);
  const toLine = (cells: readonly StyledText[]): string =>
    cells
      .map(({ text, style }, index) => {
        const size = widths[index] ?? 0;
        const fitted = truncate(text, size);
        const space = " ".repeat(size - lengthOf(fitted));
        const painted = paint(fitted, style, hasColour);
        return typeof columns[index] === "object" ? space + painted : painted + space;
      })
      .join("  ")
      .trimEnd();
  return lines.map(toLine).join("\n");
}

function titleOf(column: TextColumn): string {
  return typeof column === "string" ? column : column.number;
}

function toStyled(cell: TextCell): StyledText {
  return typeof cell === "string" ? { text: toPlain(cell) } : { ...cell, text: toPlain(cell.text) };
}

/** Removes control characters: texts come from files and may contain terminal escape sequences. */
export function toPlain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}+/gu, " ");
}

export function truncate(text: string, width: number): string {
  const letters = Array.from(text);
  return letters.length <= width ? text : `${letters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

export function paint(text: string, style: Style | undefined, hasColour: boolean): string {
  // Colour support is already known, so Node.js must not check standard output again.
  return hasColour && style !== undefined ? styleText(style, text, { validateStream: false }) : text;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

const gap = 2;
const narrowest = 8;

/** Shortens the widest column by one character at a time, to no less than `narrowest`. */
function narrow(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, size) => sum + size, 0) + gap * (widths.length - 1) - width;
  for (; excess > 0; excess--) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}
