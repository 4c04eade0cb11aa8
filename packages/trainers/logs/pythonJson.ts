/** JSON with Python's `NaN`, `Infinity` and `-Infinity`, in linear time; undefined for any other text. */
export function parseJson(text: string): unknown {
  // JSON.parse fails slowly, and every line of a log may be a printed dictionary.
  if (printedDictionary.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return /NaN|Infinity/.test(text) ? parsePython(text) : undefined;
  }
}

const printedDictionary = /^\s*\{\s*'/;

function parsePython(text: string): unknown {
  try {
    const cursor = { text, at: 0 };
    const value = readValue(cursor);
    skipSpace(cursor);
    return cursor.at === text.length ? value : undefined;
  } catch (error) {
    // SyntaxError: the text is not JSON. RangeError: it is nested deeper than the stack allows.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

type Cursor = { readonly text: string; at: number };

function readValue(cursor: Cursor): unknown {
  skipSpace(cursor);
  switch (cursor.text.charAt(cursor.at)) {
    case "{":
      return readObject(cursor);
    case "[":
      return readArray(cursor);
    case '"':
      return readString(cursor);
    default:
      return readWord(cursor);
  }
}

function readObject(cursor: Cursor): unknown {
  const entries: [string, unknown][] = [];
  readItems(cursor, "}", () => {
    skipSpace(cursor);
    const key = readString(cursor);
    skipSpace(cursor);
    take(cursor, ":");
    entries.push([key, readValue(cursor)]);
  });
  return Object.fromEntries(entries);
}

function readArray(cursor: Cursor): unknown {
  const items: unknown[] = [];
  readItems(cursor, "]", () => items.push(readValue(cursor)));
  return items;
}

/** Reads the items of a JSON list or object, which are separated by commas, up to the closing bracket. */
function readItems(cursor: Cursor, close: string, readItem: () => void): void {
  cursor.at += 1;
  skipSpace(cursor);
  if (cursor.text[cursor.at] === close) {
    cursor.at += 1;
    return;
  }
  for (;;) {
    readItem();
    skipSpace(cursor);
    if (cursor.text[cursor.at] === close) break;
    take(cursor, ",");
  }
  cursor.at += 1;
}

/** Reads a JSON string up to the next unescaped quote; JSON.parse decodes the escapes. */
function readString(cursor: Cursor): string {
  const { text, at } = cursor;
  if (text[at] !== '"') throw new SyntaxError(`no text at ${at}`);
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let numBackslashes = 0;
    while (text[end - 1 - numBackslashes] === "\\") numBackslashes += 1;
    if (numBackslashes % 2 === 1) continue;
    cursor.at = end + 1;
    return String(JSON.parse(text.slice(at, end + 1)));
  }
  throw new SyntaxError(`the text at ${at} does not end`);
}

const word = /[-+.\w]+/y;

function readWord(cursor: Cursor): unknown {
  word.lastIndex = cursor.at;
  const found = word.exec(cursor.text)?.[0] ?? "";
  cursor.at += found.length;
  switch (found) {
    case "NaN":
    case "Infinity":
    case "-Infinity":
      return Number(found);
    default:
      return JSON.parse(found);
  }
}

function take(cursor: Cursor, wanted: string): void {
  if (cursor.text[cursor.at] !== wanted) throw new SyntaxError(`no ${wanted} at ${cursor.at}`);
  cursor.at += 1;
}

const space = /[ \t\n\r]*/y;

function skipSpace(cursor: Cursor): void {
  space.lastIndex = cursor.at;
  space.exec(cursor.text);
  cursor.at = space.lastIndex;
}
