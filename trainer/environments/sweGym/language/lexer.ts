import { makeSpacing } from "./spacing.ts";

/** Matches one word of a line. `makeSpacing` predicts the gap between two words; other gaps have special words. */
const token = new RegExp(
  [
    String.raw`</?(?:think|action)>`,
    String.raw`/testbed(?:/(?=\w))?`,
    String.raw`(?:src|tests)/[a-z]+(?:_[a-z]+)*\.py`,
    String.raw`"[A-Za-z0-9]+"`,
    String.raw`'[A-Za-z0-9_]+'`,
    String.raw`--[a-z]+_[a-z]+`,
    String.raw`\.[A-Za-z_][A-Za-z0-9_]*`,
    String.raw`test_(?=[a-z])`,
    String.raw`_\d+`,
    String.raw`[A-Za-z]+(?:_[a-z]+)*[A-Za-z0-9]*`,
    String.raw`\d+`,
    String.raw`==|!=|<=|>=|\*\*|//|->|:=|\+=|-=|\*=|--|\.\.\.|::`,
    String.raw`\S`,
  ].join("|"),
  "gu",
);

/** Splits a line into its words, each with the white space before it. `rest` is the white space at the line's end. */
export function lexLine(line: string): { lexemes: readonly Lexeme[]; rest: string } {
  const lexemes: Lexeme[] = [];
  let end = 0;
  for (const match of line.matchAll(token)) {
    const [text] = match;
    lexemes.push({ gap: line.slice(end, match.index), text });
    end = match.index + text.length;
  }
  return { lexemes, rest: line.slice(end) };
}

export type Lexeme = { readonly gap: string; readonly text: string };

export function splitCode(line: string): readonly string[] {
  return lexLine(line).lexemes.map(({ text }) => text);
}

/** Joins words to a line of code, with the PEP 8 spacing that the generated repositories use. */
export function joinCode(words: readonly string[]): string {
  const spacing = makeSpacing();
  return words.map((word) => spacing.next(word) + word).join("");
}

export function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}
