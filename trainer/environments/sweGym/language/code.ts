import { lexLine } from "./lexer.ts";
import { makeSpacing } from "./spacing.ts";

/** The words of a line of code, without its indentation. */
export function splitCode(line: string): readonly string[] {
  return lexLine(line).lexemes.map(({ text }) => text);
}

/** A line of code as this repository formats it. */
export function joinCode(words: readonly string[]): string {
  const spacing = makeSpacing();
  return words.map((word) => spacing.next(word) + word).join("");
}

export function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}
