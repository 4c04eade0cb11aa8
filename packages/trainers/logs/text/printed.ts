import { parseNumber } from "../point.ts";

/** Returns the index after the bracket that closes the bracket at index `from`; −1 if the text ends before it. */
export function findEnd(text: string, from: number): number {
  let depth = 0;
  let quote = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quote !== 0) {
      if (code === backslash) at += 1;
      else if (code === quote) quote = 0;
    } else if (code === 34 || code === 39) quote = code;
    else if (code === 123 || code === 91 || code === 40) depth += 1;
    else if ((code === 125 || code === 93 || code === 41) && --depth === 0) return at + 1;
  }
  return -1;
}

const backslash = 92;

type Cursor = { readonly text: string; at: number };

/**
 * Parses a printed Python dictionary with either kind of quotes; undefined for any other text. Its values are
 * strings, dictionaries, numbers (also in a call: `np.float64(0.5)`), null for None, and undefined for the rest.
 */
export function parsePrinted(text: string): Readonly<Record<string, unknown>> | undefined {
  const cursor = { text, at: 0 };
  skip(cursor);
  if (text[cursor.at] !== "{") return undefined;
  const found = readDictionary(cursor);
  skip(cursor);
  return cursor.at === text.length ? found : undefined;
}

function readDictionary(cursor: Cursor): Readonly<Record<string, unknown>> | undefined {
  const { text } = cursor;
  const entries: [string, unknown][] = [];
  cursor.at += 1;
  for (;;) {
    const plain = readPlainEntry(cursor);
    if (plain !== undefined) entries.push(plain);
    skip(cursor);
    if (text[cursor.at] === "}") break;
    if (plain !== undefined) continue;
    const key = readQuoted(cursor);
    skip(cursor);
    if (key === undefined || text[cursor.at] !== ":") return undefined;
    cursor.at += 1;
    skip(cursor);
    const start = cursor.at;
    const value = readValue(cursor);
    if (cursor.at === start) return undefined;
    entries.push([key, value]);
    skip(cursor);
    if (text[cursor.at] === ",") cursor.at += 1;
    else if (text[cursor.at] !== "}") return undefined;
  }
  cursor.at += 1;
  return Object.fromEntries(entries);
}

/** Pattern of usual entries (quoted key, number, comma), three times as fast as the loop that reads all others. */
const plainEntry = /[ \n]*(?:'([^'\\]*)'|"([^"\\]*)") *: *(-?[\d.]+(?:e[-+]?\d+)?) *,/y;

function readPlainEntry(cursor: Cursor): [key: string, value: unknown] | undefined {
  plainEntry.lastIndex = cursor.at;
  const found = plainEntry.exec(cursor.text);
  if (found === null) return undefined;
  cursor.at = plainEntry.lastIndex;
  return [found[1] ?? found[2] ?? "", parseNumber(found[3] ?? "")];
}

function readValue(cursor: Cursor): unknown {
  const { text, at } = cursor;
  const letter = text[at];
  if (letter === "'" || letter === '"') return readQuoted(cursor);
  if (letter === "{") {
    const end = findEnd(text, at);
    const nested = readDictionary(cursor);
    if (nested === undefined && end !== -1) cursor.at = end;
    return nested;
  }
  const start = at;
  // The value ends at the comma or bracket after it; commas and brackets inside nested brackets belong to the value.
  while (cursor.at < text.length && !/[,}]/.test(text[cursor.at] ?? "")) {
    const end = /[([{'"]/.test(text[cursor.at] ?? "") ? endOfPart(cursor) : cursor.at + 1;
    if (end === -1) return undefined;
    cursor.at = end;
  }
  const word = text.slice(start, cursor.at).trimEnd();
  return word === "None" || word === "null" ? null : parseNumber(word);
}

function endOfPart({ text, at }: Cursor): number {
  const letter = text[at] ?? "";
  if (letter !== "'" && letter !== '"') return findEnd(text, at);
  const inner = { text, at };
  return readQuoted(inner) === undefined ? -1 : inner.at;
}

function readQuoted(cursor: Cursor): string | undefined {
  const { text, at } = cursor;
  const quote = text[at];
  if (quote !== "'" && quote !== '"') return undefined;
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === quote) {
      cursor.at = end + 1;
      const inside = text.slice(at + 1, end);
      return inside.includes("\\") ? inside.replaceAll(/\\(.)/g, "$1") : inside;
    }
  }
  return undefined;
}

function skip(cursor: Cursor): void {
  while (cursor.at < cursor.text.length && cursor.text.charCodeAt(cursor.at) <= 32) cursor.at += 1;
}

/** Returns the start positions of verl's console measurements (`step:12 - …`) in a text. */
export function findVerl(text: string): number[] {
  if (!text.includes("step:")) return [];
  return [...text.matchAll(/(?<![A-Za-z_/'"{])step:\d+ - /g)].map(({ index }) => index);
}

/** Start of the next printed dictionary: a brace before a quote or at the end of a line; −1 if none. */
export function dictionaryAt(text: string, from = 0): number {
  dictionary.lastIndex = from;
  return dictionary.exec(text)?.index ?? -1;
}

const dictionary = /\{\s*(?:['"]|$)/g;
