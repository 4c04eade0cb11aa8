import { remember } from "../../prompt.ts";
import { lexLine } from "./lexer.ts";
import { phraseOf, splitPhrases, wordOfPhrase } from "./phrases.ts";
import { makeSpacing } from "./spacing.ts";

/** Lossless conversion between texts (code and prose) and the words of a small policy. */
export type CodeCodec = { readonly toWords: (text: string) => string; readonly fromWords: (words: string) => string };

/** Words that encode white space wherever it differs from the usual spacing and layout. */
export const layoutWords = ["<nl>", "<in>", "<sp>", "<tab>", "<glue>", "<plain>"] as const;

/** Largest number that is a single word of the vocabulary. A larger number is encoded as one word per digit. */
export const largestNumberWord = 31;

/**
 * Makes the lossless conversion between texts and words of a vocabulary. A line that begins with a number counts as
 * output of `cat -n`: the number is right-aligned in six columns, and a tab follows. Every four leading spaces become
 * `<in>`. An unknown word is composed of known words if possible.
 */
export function makeCodec(vocabulary: ReadonlySet<string>): CodeCodec {
  const spell = makeSpeller(vocabulary);
  return {
    toWords: (text) =>
      text === ""
        ? ""
        : text
            .split("\n")
            .map((line) => encodeLine(line, spell))
            .join(" <nl> ")
            .trim(),
    fromWords: (words) => splitLines(words).map(decodeLine).join("\n"),
  };
}

type Speller = (lexeme: string) => readonly string[];

const numbered = /^ *(\d+)\t/;

function encodeLine(line: string, spell: Speller): string {
  const number = numbered.exec(line);
  const digits = number?.[1] ?? "";
  const isNumbered = number !== null && number[0] === `${digits.padStart(6)}\t` && spell(digits).every(isNumberWord);
  const content = isNumbered ? line.slice(number[0].length) : line;
  const indent = /^[ \t]*/.exec(content)?.[0] ?? "";
  const body = content.slice(indent.length);
  const words: string[] = isNumbered ? [...spell(digits)] : [];
  words.push(...encodeIndent(indent));
  if (isNumberStart(body) && indent === "") words.push(isNumbered ? "<glue>" : "<plain>");
  const spacing = makeSpacing();
  for (const { gap, word } of encodeBody(body, spell)) {
    const expected = spacing.next(word);
    if (gap !== expected) words.push(...encodeGap(gap));
    words.push(word);
  }
  words.push(...encodeSpaces(body.slice(body.trimEnd().length)));
  return words.join(" ");
}

/** Splits a line after its indentation into words and the white space (as in `trimEnd`) before each word. */
function encodeBody(body: string, spell: Speller): readonly { gap: string; word: string }[] {
  const words: { gap: string; word: string }[] = [];
  let gap = "";
  for (const part of splitPhrases(body)) {
    const phrase = wordOfPhrase(part);
    if (phrase !== undefined) {
      words.push({ gap, word: phrase });
      gap = "";
      continue;
    }
    const { lexemes, rest } = lexLine(part);
    for (const lexeme of lexemes) {
      for (const [i, word] of spell(lexeme.text).entries()) words.push({ gap: i === 0 ? gap + lexeme.gap : "", word });
      gap = "";
    }
    gap += rest;
  }
  return words;
}

function encodeIndent(indent: string): readonly string[] {
  const levels = /^(?: {4})*/.exec(indent)?.[0] ?? "";
  return [...Array.from({ length: levels.length / 4 }, () => "<in>"), ...encodeSpaces(indent.slice(levels.length))];
}

function encodeGap(gap: string): readonly string[] {
  return gap === "" ? ["<glue>"] : encodeSpaces(gap);
}

function encodeSpaces(gap: string): readonly string[] {
  return Array.from(gap, (space) => {
    if (space === " ") return "<sp>";
    return space === "\t" ? "<tab>" : `<u${space.charCodeAt(0).toString(16)}>`;
  });
}

function splitLines(words: string): readonly (readonly string[])[] {
  const lines: string[][] = [[]];
  for (const word of words.split(" ")) {
    if (word === "<nl>") lines.push([]);
    else if (word !== "") lines.at(-1)?.push(word);
  }
  return lines;
}

function decodeLine(words: readonly string[]): string {
  let start = 0;
  while (isNumberWord(words[start] ?? "")) start++;
  let line = start === 0 ? "" : `${words.slice(0, start).join("").padStart(6)}\t`;
  const spacing = makeSpacing();
  let explicit: string | undefined;
  for (const word of words.slice(start)) {
    const space = decodeSpace(word);
    if (space !== undefined) {
      explicit = (explicit ?? "") + space;
      continue;
    }
    const expected = spacing.next(word);
    line += (explicit ?? expected) + (phraseOf(word) ?? word);
    explicit = undefined;
  }
  return line + (explicit ?? "");
}

const spaces: ReadonlyMap<string, string> = new Map([
  ["<glue>", ""],
  ["<plain>", ""],
  ["<in>", "    "],
  ["<sp>", " "],
  ["<tab>", "\t"],
]);

function decodeSpace(word: string): string | undefined {
  const code = /^<u([\da-f]{1,4})>$/.exec(word)?.[1];
  return code === undefined ? spaces.get(word) : String.fromCharCode(Number.parseInt(code, 16));
}

function isNumberWord(word: string): boolean {
  return /^\d+$/.test(word);
}

function isNumberStart(text: string): boolean {
  return /^\d/.test(text);
}

/** Returns a function that composes a word from few vocabulary words, or leaves it if that is impossible. */
function makeSpeller(vocabulary: ReadonlySet<string>): Speller {
  const pieces = [...vocabulary].filter((word) => !/^<.+>$/.test(word));
  const longest = Math.max(1, ...pieces.map((word) => word.length));
  const known = new Set(pieces);
  return remember((lexeme) => {
    if (known.has(lexeme) || /^<\/?(?:think|action)>$/.test(lexeme)) return [lexeme];
    if (/^\d+$/.test(lexeme)) return lexeme.split("");
    return lexeme.length > 200 ? [lexeme] : cover(lexeme, known, longest);
  }, 5_000);
}

/** Splits a text into the smallest number of known pieces. */
function cover(text: string, known: ReadonlySet<string>, longest: number): readonly string[] {
  const best: (readonly string[] | undefined)[] = [[]];
  for (let end = 1; end <= text.length; end++) {
    for (let start = Math.max(0, end - longest); start < end; start++) {
      const [head, piece] = [best[start], text.slice(start, end)];
      if (head === undefined || !known.has(piece)) continue;
      if (head.length + 1 < (best[end]?.length ?? Infinity)) best[end] = [...head, piece];
    }
  }
  return best[text.length] ?? [text];
}
