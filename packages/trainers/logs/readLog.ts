import type { Dialect } from "../names/canonical.ts";
import { consoleKinds, consoles, type ConsoleKind } from "./consoles/consoles.ts";
import { readPieces, type PiecesRead } from "./text/readPieces.ts";
import type { Piece } from "./text/piece.ts";
import { makePieces } from "./text/pieces.ts";
import type { RawRun } from "./toSeries.ts";
import { parseTrainerState } from "./trl.ts";
import { makeUnread, type Unread } from "./unread.ts";
import { parseEvent, readEventLines } from "./eventLog.ts";

export type LogFormat = "events" | "metrics" | "verlConsole" | "verlFile" | "trlState" | "trlPrinted" | ConsoleKind;

/** `unread`: lines (or entries of a trainer's state) that are no measurements. `notes`: dropped measurements. */
export type RawLog = { format: LogFormat; run: RawRun; unread: Unread; notes: readonly string[] };

/** Line formats, most reliable first. Forks of verl use its loggers; metric names identify the fork. */
const ways = [
  { format: "verlFile", reads: "verlFile", dialect: undefined },
  { format: "metrics", reads: "jsonLines", dialect: undefined },
  { format: "verlConsole", reads: "verlConsole", dialect: undefined },
  { format: "trlPrinted", reads: "trlPrinted", dialect: "trl" },
  ...consoleKinds.map((kind) => ({ format: kind, reads: kind, dialect: consoles[kind].dialect })),
] as const;

/** Reads a log before its steps are sorted and its metrics renamed; undefined if the text contains no measurement. */
export function readLog(text: string): RawLog | undefined {
  const state = parseTrainerState(text);
  if (state) {
    const { steps, unread, isCut } = state;
    const notes = isCut ? ["the file is cut within its history: the entry after the last whole one is left out"] : [];
    return { format: "trlState", run: { lines: steps, dialect: "trl" }, unread, notes };
  }
  const lines = text.split("\n");
  return readEvents(lines) ?? readMost(cutPieces(lines));
}

/** Splits a log's lines into pieces, also at carriage returns, after which a progress bar rewrites its line. */
function cutPieces(lines: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  const cutter = makePieces((piece) => pieces.push(piece));
  const last = lines.length - 1;
  for (const [i, line] of lines.entries()) {
    if (!line.includes("\r")) {
      if (line !== "") cutter.push(line, i + 1, i < last);
      continue;
    }
    const parts = line.split("\r");
    for (const [j, part] of parts.entries()) {
      if (part !== "") cutter.push(part, i + 1, i < last || j < parts.length - 1);
    }
  }
  cutter.end();
  // A multi-line dictionary without an end is found late, so pieces are sorted by line.
  return pieces.sort((a, b) => a.line - b.line);
}

/** Uses the format that parses the most pieces (lines or parts), the most reliable one among equals. */
function readMost(pieces: readonly Piece[]): RawLog | undefined {
  let best: { format: LogFormat; dialect: Dialect | undefined; read: PiecesRead } | undefined;
  const numReadable = pieces.filter(({ cut }) => cut === undefined || cut === "bar").length;
  for (const { format, reads, dialect } of ways) {
    const read = readPieces(pieces, reads);
    if (read.numRead <= (best?.read.numRead ?? 0)) continue;
    best = { format, dialect, read };
    // All readable pieces were read, so no other format can read more.
    if (read.numRead === numReadable) break;
  }
  if (!best) return undefined;
  const { format, dialect, read } = best;
  return { format, run: { lines: read.lines, dialect }, unread: read.unread, notes: read.notes };
}

/** Reads a log of the built-in trainer's events; undefined if no line is an event with a measurement. */
function readEvents(lines: readonly string[]): RawLog | undefined {
  const unread = makeUnread();
  const events = lines.flatMap((line, i) => {
    const event = parseEvent(line);
    if (!event && line.trim() !== "") unread.add(line, i + 1);
    return event ?? [];
  });
  if (!events.some(({ type }) => type === "metrics")) return undefined;
  const originals: Record<string, string> = {};
  for (const event of events) if (event.type === "metrics") Object.assign(originals, event.originals);
  const run = { lines: readEventLines(events), originals };
  return { format: "events", run, unread: unread.read(), notes: [] };
}
