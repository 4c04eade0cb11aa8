import { consoleKinds, consoles, type ConsoleKind } from "#server/domain/external/consoles/consoles.ts";
import { makeLineReader, type LineDialect } from "#server/domain/external/lineReader.ts";
import type { LogLine } from "#server/domain/external/settle.ts";
import { toSeries, type RawRun, type RunSeries } from "#server/domain/external/toSeries.ts";
import { parseTrainerState } from "#server/domain/external/trl.ts";
import { makeUnread, type Unread } from "#server/domain/external/unread.ts";
import { parseEvent, readEventLines } from "./eventLog.ts";

export type LogFormat = "events" | "metrics" | "verlConsole" | "verlFile" | "trlState" | "trlPrinted" | ConsoleKind;

/** A log of one run of any of the known kinds. `unread`: lines (of a trainer's state: entries) that are no measurements. */
export type RawLog = { format: LogFormat; run: RawRun; unread: Unread };

/** The same, its run under the catalogue's keys. */
export type ParsedLog = RunSeries & Omit<RawLog, "run">;

/** Undefined when nothing in the text is a measurement. */
export function parseLog(text: string): ParsedLog | undefined {
  const log = readLog(text);
  return log && { format: log.format, unread: log.unread, ...toSeries(log.run) };
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
  if (state) return { format: "trlState", run: { lines: state.steps, dialect: "trl" }, unread: state.unread };
  // A progress bar rewrites its line with carriage returns.
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "");
  const events = readEvents(lines);
  if (events) return events;
  return readMost(lines);
}

/** By the way that reads most lines, the surest of those that read as many. */
function readMost(lines: readonly string[]): RawLog | undefined {
  let best: RawLog | undefined;
  for (const { format, reads, dialect } of ways) {
    const { found, unread } = readLines(lines, reads);
    if (found.length <= (best?.run.lines.length ?? 0)) continue;
    best = { format, run: { lines: found, dialect }, unread };
    // None can read more.
    if (found.length === lines.length) break;
  }
  return best;
}

function readLines(lines: readonly string[], dialect: LineDialect): { found: LogLine[]; unread: Unread } {
  const read = makeLineReader(dialect);
  const unread = makeUnread();
  const found: LogLine[] = [];
  for (const line of lines) {
    const step = read(line);
    if (step) found.push(step);
    else unread.add(line);
  }
  return { found, unread: unread.read() };
}

/** Undefined where no line is one of our trainer's with a measurement. */
function readEvents(lines: readonly string[]): RawLog | undefined {
  const unread = makeUnread();
  const events = lines.flatMap((line) => {
    const event = parseEvent(line);
    if (!event) unread.add(line);
    return event ?? [];
  });
  if (!events.some(({ type }) => type === "metrics")) return undefined;
  const originals: Record<string, string> = {};
  for (const event of events) if (event.type === "metrics") Object.assign(originals, event.originals);
  return { format: "events", run: { lines: readEventLines(events), originals }, unread: unread.read() };
}
