import { makeLineReader, type LineDialect } from "../lineReader.ts";
import type { LogLine } from "../settle.ts";
import { makeUnread, toShown, type Unread } from "../unread.ts";
import type { Piece } from "./piece.ts";
import type { LoggedStep } from "../point.ts";

export type PiecesRead = {
  lines: LogLine[];
  /** Number of pieces of the log that contain measurements, including pieces of dropped processes. */
  numRead: number;
  unread: Unread;
  /** Notes on dropped measurements, with the reasons. */
  notes: string[];
};

/** Reads a log's pieces. If several processes print measurements at the same time, only one of them is kept. */
export function readPieces(pieces: readonly Piece[], dialect: LineDialect): PiecesRead {
  const ofSource = new Map<string, Process>();
  const unread = makeUnread();
  const left = makeLeftOut();
  for (const piece of pieces) {
    if (left.takes(piece) || isListMark(piece.text)) continue;
    let one = ofSource.get(piece.source);
    if (!one) ofSource.set(piece.source, (one = startProcess(piece.source, dialect)));
    const step = one.read(piece.text);
    if (!step) {
      unread.add(piece.text, piece.line, piece.numLines);
      continue;
    }
    if (one.lines.length === 0) one.firstLine = piece.line;
    one.lines.push(step);
    one.lastLine = piece.line;
  }
  const measuring = [...ofSource.values()].filter(({ lines }) => lines.length > 0);
  const { kept, others } = chooseProcess(measuring);
  const all = measuring.reduce((sum, { lines }) => sum + lines.length, 0);
  const numLeft = others.reduce((sum, { lines }) => sum + lines.length, 0);
  const names = kept.map(({ source }) => source || "no prefix").join(", ");
  const also = others.length > 0 ? [sayProcesses(names, { others, numLeft })] : [];
  const lines = kept.flatMap((one) => one.lines);
  const notes = [...also, ...left.say(), ...settleNulls(lines), ...sayTexts(lines)];
  return { lines, numRead: all, unread: unread.read(), notes };
}

/** True for a text of brackets, commas and spaces only, which belongs to a list of dictionaries. */
export function isListMark(text: string): boolean {
  return /^[\s[\],]*$/.test(text);
}

type Process = {
  source: string;
  firstLine: number;
  lastLine: number;
  read: (line: string) => LogLine | undefined;
  lines: LogLine[];
};

function startProcess(source: string, dialect: LineDialect): Process {
  return { source, firstLine: 0, lastLine: 0, read: makeLineReader(dialect), lines: [] };
}

/** Keeps the process with the most measurements (or lowest name), and those entirely before or after it (restarts). */
function chooseProcess(all: readonly Process[]): { kept: Process[]; others: Process[] } {
  const byName = all.toSorted((a, b) => a.source.localeCompare(b.source, "en", { numeric: true }));
  const most = Math.max(...byName.map(({ lines }) => lines.length));
  const kept: Process[] = byName.filter(({ lines }) => lines.length === most).slice(0, 1);
  for (const one of all) {
    const overlaps = kept.some((other) => one.firstLine <= other.lastLine && other.firstLine <= one.lastLine);
    if (!overlaps) kept.push(one);
  }
  kept.sort((a, b) => a.firstLine - b.firstLine);
  return { kept, others: all.filter((one) => !kept.includes(one)) };
}

function sayProcesses(kept: string, { others, numLeft }: { others: readonly Process[]; numLeft: number }): string {
  const names = others.map(({ source }) => source || "no prefix");
  const shown = names.slice(0, 5).join(", ") + (names.length > 5 ? ` and ${names.length - 5} more` : "");
  const count = numLeft.toLocaleString("en-US");
  return `${names.length + 1} processes print measurements: those of ${kept} are read, ${count} of ${shown} left out`;
}

/** Counts pieces that may be cut off, which no reader gets, and numbers removed from pieces. */
export function makeLeftOut() {
  let last: Piece | undefined;
  const runsOn: Piece[] = [];
  const barred: Piece[] = [];
  return {
    /** Counts the piece if it may be cut off; returns true if the whole piece is dropped. */
    takes(piece: Piece): boolean {
      if (piece.cut === "end") last = piece;
      if (piece.cut === "runsOn") runsOn.push(piece);
      if (piece.cut === "bar") barred.push(piece);
      return piece.cut === "end" || piece.cut === "runsOn";
    },
    say(): string[] {
      return [
        ...(runsOn.length > 0 ? [`${sayCount(runsOn)} cut, the next one follows on its line: left out`] : []),
        ...(barred.length > 0
          ? [`${sayCount(barred)} cut by a progress bar: the last number of each is left out`]
          : []),
        ...(last ? [`the last line (${last.line}) has no end and may be cut: left out: “${toShown(last.text)}”`] : []),
      ];
    },
  };
}

function sayCount(pieces: readonly Piece[]): string {
  const [first] = pieces;
  if (pieces.length === 1) return `1 measurement (line ${first?.line}) is`;
  return `${pieces.length.toLocaleString("en-US")} measurements (the first in line ${first?.line}) are`;
}

/** Minimum number of lines with a metric's number; fewer do not show how often the metric is measured. */
const minNumbers = 10;

type Tally = { numbers: number; nulls: number; isSparse: boolean };

/**
 * Replaces nulls that mean divergence by NaN in `lines`, and returns notes on them. Many loggers write JSON null for
 * "not measured" or for NaN. A metric with enough numbers, and none after its first null, diverged. Other nulls stay
 * gaps.
 */
function settleNulls(lines: readonly LoggedStep[]): string[] {
  const tallies = new Map<string, Tally>();
  for (const { nulls = [] } of lines) {
    for (const key of nulls) if (!tallies.has(key)) tallies.set(key, { numbers: 0, nulls: 0, isSparse: false });
  }
  if (tallies.size === 0) return [];
  for (const { values, nulls = [] } of lines) {
    for (const [key, tally] of tallies) {
      if (!Number.isFinite(values[key])) continue;
      tally.numbers += 1;
      if (tally.nulls > 0) tally.isSparse = true;
    }
    for (const key of nulls) {
      const tally = tallies.get(key);
      if (tally) tally.nulls += 1;
    }
  }
  const isDiverged = ({ numbers, isSparse }: Tally) => numbers >= minNumbers && !isSparse;
  const diverged = [...tallies].filter(([, tally]) => isDiverged(tally)).map(([key]) => key);
  for (const { values, nulls = [] } of lines) {
    for (const key of nulls) if (diverged.includes(key)) values[key] = NaN;
  }
  const gaps = [...tallies].filter(([, tally]) => !isDiverged(tally));
  const numGaps = gaps.reduce((sum, [, tally]) => sum + tally.nulls, 0);
  return [
    ...(diverged.length > 0 ? [`${nameSome(diverged)}: null to the end of the log is read as NaN`] : []),
    ...(gaps.length > 0 ? [`${sayNulls(numGaps)} read as not measured: ${nameSome(gaps.map(([key]) => key))}`] : []),
  ];
}

/** Describes texts that may be numbers in an unknown form, by metric. */
function sayTexts(lines: readonly LoggedStep[]): string[] {
  const seen = new Map<string, { count: number; first: string }>();
  for (const { texts = {} } of lines) {
    for (const [key, text] of Object.entries(texts)) {
      const known = seen.get(key);
      if (known) known.count += 1;
      else seen.set(key, { count: 1, first: text });
    }
  }
  return [...seen].map(([key, { count, first }]) => {
    const texts = count === 1 ? "1 text is not a number" : `${count.toLocaleString("en-US")} texts are not numbers`;
    return `${key}: ${texts}, left out: “${toShown(first)}”`;
  });
}

function sayNulls(number: number): string {
  return number === 1 ? "1 null is" : `${number.toLocaleString("en-US")} nulls are`;
}

function nameSome(keys: readonly string[]): string {
  return keys.slice(0, 5).join(", ") + (keys.length > 5 ? ` and ${keys.length - 5} more` : "");
}
