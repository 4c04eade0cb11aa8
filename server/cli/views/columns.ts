import { stripVTControlCharacters, styleText } from "node:util";
import type { Screen } from "../outcome.ts";

export type Style = "green" | "red" | "yellow" | "cyan" | "dim";
export type TextCell = { text: string; style?: Style };
export type TextColumn = { header: string; align?: "right" };

/**
 * Formats a text table with two spaces between columns. On a terminal the widest columns are cut until a line fits;
 * in a pipe no text is cut.
 */
export function toColumns(
  columns: readonly TextColumn[],
  rows: readonly (readonly TextCell[])[],
  { width, hasColour }: Pick<Screen, "width" | "hasColour">,
): string {
  const plain = rows.map((row) => row.map((cell) => ({ ...cell, text: toPlain(cell.text) })));
  const natural = columns.map(({ header }, index) =>
    plain.reduce((widest, row) => Math.max(widest, lengthOf(row[index]?.text ?? "")), header.length),
  );
  const widths = width === undefined ? natural : narrow(natural, width);
  const toLine = (cells: readonly TextCell[]): string =>
    cells
      .map(({ text, style }, index) => {
        const size = widths[index] ?? 0;
        const fitted = truncate(text, size);
        const space = " ".repeat(size - lengthOf(fitted));
        const painted = paint(fitted, style, hasColour);
        return columns[index]?.align === "right" ? space + painted : painted + space;
      })
      .join("  ")
      .trimEnd();
  const headers = columns.map(({ header }): TextCell => ({ text: header, style: "dim" }));
  return [headers, ...plain].map(toLine).join("\n");
}

/**
 * Formats a text as one line without control characters: names and log texts come from files and may contain terminal
 * escape sequences.
 */
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

/**
 * Reduces column widths until the table fits: the widest column loses one character at a time, but none gets narrower
 * than `narrowest`.
 */
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
