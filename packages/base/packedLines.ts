/** JSON lines whose numbers are stored in columns: half as long when compressed, and rebuilt to the last digit. */
export type PackedLines = {
  /** Each different text once, split at its numbers. */
  texts: string[][];
  /** Index of each line's text. */
  order: number[];
  /**
   * Numbers by the JSON key before them, in the order of the lines: integers as numbers, others as shuffled doubles in
   * base64. A column with a number that JavaScript writes differently is stored as text.
   */
  columns: [key: string, column: (number | string)[] | string][];
};

/** A JSON number, or one in a text between the same characters. */
const number = /((?<=[:,[])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?=[,}\]]))/;

export function packLines(lines: readonly string[]): PackedLines {
  const texts = new Map<string, { index: number; pieces: string[]; keys: string[] }>();
  const columns = new Map<string, string[]>();
  const order = lines.map((line) => {
    const parts = line.split(number);
    const pieces = parts.filter((_, i) => i % 2 === 0);
    const id = JSON.stringify(pieces);
    const text = texts.get(id) ?? { index: texts.size, pieces, keys: keysOf(pieces) };
    texts.set(id, text);
    for (const [i, key] of text.keys.entries()) {
      const column = columns.get(key) ?? [];
      column.push(parts[2 * i + 1] ?? "");
      columns.set(key, column);
    }
    return text.index;
  });
  return {
    texts: [...texts.values()].map(({ pieces }) => pieces),
    order,
    columns: [...columns].map(([key, column]) => [key, packColumn(column)]),
  };
}

/** @throws for columns that end early, unknown texts and more than `maxCharacters` in all lines together. */
export function unpackLines({ texts, order, columns }: PackedLines, maxCharacters: number): string[] {
  const readers = new Map(
    columns.map(([key, column]) => [key, { values: typeof column === "string" ? unshuffle(column) : column, next: 0 }]),
  );
  const known = texts.map((pieces) => ({
    first: pieces[0] ?? "",
    numbers: keysOf(pieces).map((key, i) => ({ key, reader: readers.get(key), piece: pieces[i + 1] ?? "" })),
  }));
  let numCharacters = 0;
  return order.map((index) => {
    const text = known[index];
    if (text === undefined) throw new Error(`text ${index} of ${texts.length} is missing`);
    let line = text.first;
    for (const { key, reader, piece } of text.numbers) {
      const value = reader?.values[reader.next++];
      if (value === undefined) throw new Error(`the numbers of “${key}” end early`);
      line += value;
      line += piece;
    }
    numCharacters += line.length;
    if (numCharacters > maxCharacters) throw new Error(`its lines have more than ${maxCharacters} characters`);
    return line;
  });
}

/** Returns for each number between two pieces the last JSON key before it. */
function keysOf(pieces: readonly string[]): string[] {
  let key = "";
  return pieces.slice(0, -1).map((piece) => (key = /"([^"]*)":\[?$/.exec(piece)?.[1] ?? key));
}

function packColumn(column: readonly string[]): (number | string)[] | string {
  const numbers = column.map(Number);
  if (numbers.some((value, i) => String(value) !== column[i])) return [...column];
  return numbers.every(Number.isSafeInteger) ? numbers : shuffle(numbers);
}

/** Writes first bytes before second ones: the bytes of sign and exponent hardly differ, and compress well together. */
function shuffle(values: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(8));
  const bytes = new Uint8Array(8 * values.length);
  for (const [i, value] of values.entries()) {
    view.setFloat64(0, value);
    for (let byte = 0; byte < 8; byte += 1) bytes[byte * values.length + i] = view.getUint8(byte);
  }
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Returns the numbers as text: JSON writes many of them in half the time. */
function unshuffle(text: string): string[] {
  const bytes = atob(text);
  const values = Array.from({ length: Math.floor(bytes.length / 8) }, () => 0);
  const view = new DataView(new ArrayBuffer(8));
  for (let i = 0; i < values.length; i += 1) {
    for (let byte = 0; byte < 8; byte += 1) view.setUint8(byte, bytes.charCodeAt(byte * values.length + i));
    values[i] = view.getFloat64(0);
  }
  return JSON.stringify(values).slice(1, -1).split(",");
}
