import { makeUnread } from "#packages/trainers";
import { parseCsv } from "#packages/statistics";
import { find, stepColumns } from "./columns.ts";
import { findDecimalMark, parseWritten } from "./numbers.ts";

export type Row = { line: number; fields: readonly string[] };

export type Table = {
  names: readonly string[];
  rows: readonly Row[];
  /** Counter of table rows that contain no measurements. The functions that read the table add to it. */
  unread: ReturnType<typeof makeUnread>;
  notes: readonly string[];
  /** Parses a field as a number, with the table's decimal mark. */
  parse: (field: string | undefined) => number | undefined;
};

/**
 * Reads the header and rows of a CSV table. A row with a wrong number of fields was cut off, so it is not parsed. A
 * repeated header, as from a program that appends to its file, is skipped. A last row that may be cut off is also
 * skipped.
 */
export function readTable(given: string): Table {
  const unread = makeUnread();
  const notes: string[] = [];
  const { comments, text } = cutComments(given);
  const delimiter = delimiterOf(text);
  const torn: { row: string; line: number }[] = [];
  const [header, ...records] = parseCsv(text, {
    delimiter,
    onTorn: (row, line) => torn.push({ row, line: line + comments }),
  });
  const names = header?.fields.map((name) => name.trim()) ?? [];
  while (names.at(-1) === "") names.pop();
  const rows: Row[] = [];
  const lastLine = Math.max((records.at(-1)?.line ?? 0) + comments, torn.at(-1)?.line ?? 0);
  const hasEnd = /[\r\n]$/.test(text);
  const leaveOut = (row: string, line: number, isCut = !hasEnd && line === lastLine) => {
    if (isCut)
      notes.push(`the last row (${line}) has no line end and may be cut off; left out: “${row.slice(0, 160)}”`);
    else unread.add(row, line);
  };
  for (const { row, line } of torn) leaveOut(row, line);
  for (const { line: lineInText, fields, mayBeCut } of records) {
    const line = lineInText + comments;
    const isAgain = names.every((name, i) => fields[i]?.trim() === name);
    const isTorn = fields.length < names.length || fields.slice(names.length).some((field) => field.trim() !== "");
    if (mayBeCut || isTorn) leaveOut(fields.join(","), line, mayBeCut);
    else if (!isAgain) rows.push({ line, fields });
  }
  const twice = [...new Set(names.filter((name, i) => names.indexOf(name) < i))];
  if (twice.length > 0)
    notes.push(`several columns have the same name; only the first is read: ${twice.slice(0, 5).join(", ")}`);
  const mark = findDecimalMark(fieldsOf(rows), delimiter);
  if (mark === ",") notes.push("numbers are read with a decimal comma (0,5 is ½)");
  return { names, rows, unread, notes, parse: (field) => parseWritten(field ?? "", mark) };
}

function* fieldsOf(rows: readonly Row[]): Generator<string> {
  for (const { fields } of rows) yield* fields;
}

/**
 * Cuts lines of comments from the beginning, as in the monitor files of Stable-Baselines3. The last comment stays if it
 * has the names of the columns, as NumPy writes it.
 */
function cutComments(text: string): { comments: number; text: string } {
  const [start = ""] = /^\uFEFF?(?:#[^\n]*\n)+/.exec(text) ?? [];
  const lines = start.split("\n").slice(0, -1);
  const rest = text.slice(start.length);
  const last = lines.at(-1)?.replace(/^\uFEFF?#+\s*/, "");
  if (last !== undefined && hasSteps(last) && /^[\s\d.,;eE+-]+$/.test(rest.split("\n", 1)[0] ?? "")) {
    return { comments: lines.length - 1, text: `${last}\n${rest}` };
  }
  return { comments: lines.length, text: rest };
}

/** Columns of Stable-Baselines3's monitor files: return, length and time of each episode. */
export const monitorColumns = "r,l,t";

/** Returns true if the first line contains the name of a step column, or those of a monitor file. */
export function hasTrackerColumns(given: string): boolean {
  const [first = ""] = cutComments(given).text.split(/\r?\n/, 1);
  return first === monitorColumns || hasSteps(first);
}

function hasSteps(header: string): boolean {
  // Column names may contain commas, but the names of step columns do not.
  const names = header.split(delimiterOf(header)).map((name) => name.replaceAll(/^[\s"\uFEFF]+|[\s"]+$/g, ""));
  return names.length > 1 && find(names, stepColumns) !== -1;
}

/** Returns the separator that is most frequent in the first line, outside quotes. */
function delimiterOf(text: string): "," | ";" | "\t" {
  const [first = ""] = text.split(/\r?\n/, 1);
  const bare = first.replaceAll(/"[^"]*"/g, "");
  const counts = ([",", "\t", ";"] as const).map((mark) => ({ mark, count: bare.split(mark).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.mark ?? ",";
}
