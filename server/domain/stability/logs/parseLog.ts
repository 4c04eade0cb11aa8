import type { Dialect } from "#server/domain/external/canonical.ts";
import { consoleKinds, consoles, type ConsoleKind } from "#server/domain/external/consoles/consoles.ts";
import { readPieces, type PiecesRead } from "#server/domain/external/text/readPieces.ts";
import type { Piece } from "#server/domain/external/text/piece.ts";
import { makePieces } from "#server/domain/external/text/pieces.ts";
import { toSeries, type RawRun, type RunSeries } from "#server/domain/external/toSeries.ts";
import { parseTrainerState } from "#server/domain/external/trl.ts";
import { makeUnread, type Unread } from "#server/domain/external/unread.ts";
import { parseEvent, readEventLines } from "./eventLog.ts";

export type LogFormat = "events" | "metrics" | "verlConsole" | "verlFile" | "trlState" | "trlPrinted" | ConsoleKind;

/**
 * A log of one run of any of the known kinds. `unread`: lines (of a trainer's state: entries) that are no measurements.
 * `notes`: measurements that were left out, and why.
 */
export type RawLog = { format: LogFormat; run: RawRun; unread: Unread; notes: readonly string[] };

/** The same, its run under the catalogue's keys. */
export type ParsedLog = RunSeries & Omit<RawLog, "run" | "notes">;

/** Undefined when nothing in the text is a measurement. */
export function parseLog(text: string): ParsedLog | undefined {
  const log = readLog(text);
  if (!log) return undefined;
  const series = toSeries(log.run);
  return { format: log.format, unread: log.unread, ...series, notes: [...log.notes, ...series.notes] };
}

/** Ways to read one line, the surest first. verl's loggers are those of its relatives too: the names tell whose they are. */
const ways = [
  { format: "verlFile", reads: "verlFile", dialect: undefined },
  { format: "metrics", reads: "jsonLines", dialect: undefined },
  { format: "verlConsole", reads: "verlConsole", dialect: undefined },
  { format: "trlPrinted", reads: "trlPrinted", dialect: "trl" },
  ...consoleKinds.map((kind) => ({ format: kind, reads: kind, dialect: consoles[kind].dialect })),
] as const;

/** As parseLog, before steps are ordered and metrics named. */
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

/** The pieces of a whole file. A progress bar rewrites its line with carriage returns. */
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
  // A dictionary that never got its other lines counts as late.
  return pieces.sort((a, b) => a.line - b.line);
}

/** By the way that reads most pieces, the surest of those that read as many. */
function readMost(pieces: readonly Piece[]): RawLog | undefined {
  let best: { format: LogFormat; dialect: Dialect | undefined; read: PiecesRead } | undefined;
  const numReadable = pieces.filter(({ cut }) => cut === undefined || cut === "bar").length;
  for (const { format, reads, dialect } of ways) {
    const read = readPieces(pieces, reads);
    if (read.numRead <= (best?.read.numRead ?? 0)) continue;
    best = { format, dialect, read };
    // None can read more.
    if (read.numRead === numReadable) break;
  }
  if (!best) return undefined;
  const { format, dialect, read } = best;
  return { format, run: { lines: read.lines, dialect }, unread: read.unread, notes: read.notes };
}

/** Undefined where no line is one of our trainer's with a measurement. */
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
