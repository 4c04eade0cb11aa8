import { makeLineReader, type LineDialect } from "../lineReader.ts";
import type { LogLine } from "../settle.ts";
import { makeUnread, toShown, type Unread } from "../unread.ts";
import type { Piece } from "./piece.ts";
import { settleNulls } from "./settleNulls.ts";

export type PiecesRead = {
  lines: LogLine[];
  /** Number of pieces with measurements, including those of other processes. */
  numRead: number;
  unread: Unread;
  /** Dropped measurements and reasons. */
  notes: string[];
};

/** Reads all pieces of a log with one format's reader. If several processes print measurements, one is kept. */
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
  const notes = [...also, ...left.say(), ...settleNulls(lines)];
  return { lines, numRead: all, unread: unread.read(), notes };
}

/** True for the brackets and commas of a list of dictionaries. */
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

/**
 * Keeps the process with most measurements (ties: the lowest), and those entirely before or after it, as from a
 * restarted pod.
 */
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

/** Counts possibly truncated pieces, which no reader gets, and removed numbers. */
export function makeLeftOut() {
  let last: Piece | undefined;
  const runsOn: Piece[] = [];
  const barred: Piece[] = [];
  return {
    /** True where the piece is dropped. */
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
