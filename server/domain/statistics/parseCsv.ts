import { AppError } from "#server/domain/errors.ts";

export type CsvRecord = { line: number; fields: string[] };

/**
 * Records of RFC 4180: commas, quotes doubled within quotes, any line ending, with or without a byte-order mark. Empty
 * lines are left out. The apostrophe that guards a text from being run as a formula is taken off again.
 */
export function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;
  let line = 1;
  let start = line;
  let fields: string[] = [];
  field.lastIndex = text.startsWith("\uFEFF") ? 1 : 0;
  while (field.lastIndex < text.length || fields.length > 0) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (!match) throw new AppError("bad_input", `line ${line}: a quote that does not belong there, or is not closed`);
    const [whole, quoted, plain = "", end = ""] = match;
    fields.push(unguard(quoted === undefined ? plain : quoted.replaceAll('""', '"')));
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === ",") continue;
    if (fields.length > 1 || fields[0] !== "") records.push({ line: start, fields });
    fields = [];
    start = line;
    if (field.lastIndex === at && end === "") break;
  }
  return records;
}

function unguard(text: string): string {
  return /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text;
}
