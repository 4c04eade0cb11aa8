import { AppError } from "#packages/base";

export type CsvRecord = {
  line: number;
  fields: string[];
  /** True if the file ends after this record without a line feed or quote: its last value may be incomplete. */
  mayBeCut?: true;
};

type Reading = {
  delimiter?: "," | ";" | "\t";
  /** Receives lines with unbalanced quotes, which are then skipped. If absent, such lines are an error. */
  onTorn?: (text: string, line: number) => void;
};

/**
 * Parses records by RFC 4180: comma-separated, quotes doubled within quotes, any line ending, optional byte-order mark.
 * Empty lines are skipped. A leading apostrophe, which guards against formula injection, is removed.
 */
export function parseCsv(text: string, { delimiter = ",", onTorn }: Reading = {}): CsvRecord[] {
  const records: CsvRecord[] = [];
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${delimiter}\\r\\n]*))(${delimiter}|\\r\\n|\\n|\\r|$)`, "y");
  let line = 1;
  let start = line;
  let fields: string[] = [];
  field.lastIndex = text.startsWith("\uFEFF") ? 1 : 0;
  let from = field.lastIndex;
  while (field.lastIndex < text.length || fields.length > 0) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (!match) {
      if (!onTorn) throw new AppError("bad_input", `line ${line}: a quote is misplaced or not closed`);
      const next = findNextLine(text, at);
      onTorn(text.slice(from, next).trimEnd(), start);
      fields = [];
      line += 1;
      start = line;
      field.lastIndex = from = next;
      continue;
    }
    const [whole, quoted, plain = "", end = ""] = match;
    fields.push(unguard(quoted === undefined ? plain : quoted.replaceAll('""', '"')));
    if (quoted !== undefined || end !== delimiter) line += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === delimiter) continue;
    const mayBeCut = end === "" && quoted === undefined && plain !== "";
    if (fields.length > 1 || fields[0] !== "") records.push({ line: start, fields, ...(mayBeCut && { mayBeCut }) });
    fields = [];
    start = line;
    from = field.lastIndex;
    if (field.lastIndex === at && end === "") break;
  }
  return records;
}

/** Returns the offset after the first line ending from an offset on; without one, the length of the text. */
function findNextLine(text: string, from: number): number {
  const ending = /\r\n|\n|\r/g;
  ending.lastIndex = from;
  return ending.test(text) ? ending.lastIndex : text.length;
}

function unguard(text: string): string {
  return /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text;
}
