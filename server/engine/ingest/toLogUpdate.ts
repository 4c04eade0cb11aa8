import { tryJson } from "#trainer/spec/tryJson.ts";
import type { LogUpdate } from "#server/db/runs/logs.ts";
import { fromMetricValue, type MetricsEvent, readRunEvent, type RunEvent } from "#trainer/spec/event.ts";
import { countsEpochs } from "#trainer/spec/metric.ts";
import { formatCount } from "#packages/base";

type Before = { logOffset: number; lastSeq: number; numMetricLines: number };

/** Computes the changes that new log lines cause. Repeated line numbers are rejected; gaps add a remark. */
export function toLogUpdate(parsed: ParsedLines, before: Before): LogUpdate {
  const { fresh, repeated, gaps, lastSeq } = sortOut(parsed.events, before.lastSeq);
  const rejected = [...parsed.rejected, ...repeated].toSorted((a, b) => a.offset - b.offset);
  const metrics = fresh.filter((event) => event.type === "metrics");
  const done = fresh.findLast((event) => event.type === "done") ?? null;
  const numMetricLines = before.numMetricLines + metrics.length;
  const remarks = [
    ...gaps.map((gap) => `The log lacks ${gap}.`),
    ...(rejected.length > 0 ? [remarkOn(rejected)] : []),
    ...(done !== null && done.numMetricLines !== numMetricLines
      ? [`The trainer wrote ${formatCount(done.numMetricLines, "line")} of metrics, the log has ${numMetricLines}.`]
      : []),
  ];
  return {
    logOffset: before.logOffset,
    nextOffset: before.logOffset + parsed.consumedBytes,
    lastSeq,
    lastEventAtMs: fresh.at(-1)?.atMs ?? null,
    points: toPoints(metrics),
    originals: Object.assign({}, ...metrics.map(({ originals }) => originals ?? {})),
    started: fresh.findLast((event) => event.type === "started") ?? null,
    done,
    latestIteration: latestIteration(fresh),
    notes: fresh.filter((event) => event.type === "note"),
    changes: fresh.filter((event) => event.type === "event"),
    traces: fresh.filter((event) => event.type === "traces"),
    remarks,
    rejected,
  };
}

function sortOut(lines: readonly ReadLine[], before: number) {
  let lastSeq = before;
  const fresh: RunEvent[] = [];
  const repeated: RejectedLine[] = [];
  const gaps: string[] = [];
  for (const { event, offset, text } of lines) {
    if (event.seq <= lastSeq) {
      repeated.push({ offset, text, problem: `line ${event.seq} again, after line ${lastSeq}` });
      continue;
    }
    if (event.seq > lastSeq + 1) gaps.push(`${nameLines(lastSeq + 1, event.seq - 1)}, before byte ${offset}`);
    lastSeq = event.seq;
    fresh.push(event);
  }
  return { fresh, repeated, gaps, lastSeq };
}

function nameLines(first: number, last: number): string {
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}

function remarkOn(rejected: readonly RejectedLine[]): string {
  const [first] = rejected;
  const count = rejected.length === 1 ? "1 line of the log was" : `${rejected.length} lines of the log were`;
  return `${count} set aside; the first at byte ${first?.offset}: ${first?.problem}.`;
}

/** Converts metric events to points. Lines with the same metrics share one list of keys, which is looked up once. */
function toPoints(events: readonly MetricsEvent[]): LogUpdate["points"] {
  let shared: readonly string[] = [];
  return events.map(({ seq, iteration, optimizerStep, atMs, values: logged }) => {
    const keys = Object.keys(logged);
    if (!isSame(keys, shared)) shared = keys;
    const values = keys.map((key) => fromMetricValue(logged[key] ?? "NaN"));
    return { seq, iteration, optimizerStep, atMs, keys: shared, values };
  });
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

// Returns the last training iteration of these events; null if there is none. A new attempt resets the run to this
// iteration, or to the one before the attempt's first. A behaviour-cloning event counts epochs, so it is skipped.
function latestIteration(events: readonly RunEvent[]): LogUpdate["latestIteration"] {
  const started = events.findLast((event) => event.type === "started");
  let reached = -1;
  for (const event of events) {
    if (event.type === "metrics" && event.iteration > reached && isTraining(event)) reached = event.iteration;
  }
  if (started !== undefined) return { resetTo: Math.max(0, started.firstIteration - 1, reached) };
  return reached >= 0 ? { raiseTo: reached } : null;
}

function isTraining({ values }: MetricsEvent): boolean {
  for (const key in values) if (!countsEpochs(key)) return true;
  return false;
}

/** A line that is not a RunEvent or repeats a line number: its offset in the log, its text and the problem. */
type RejectedLine = { offset: number; text: string; problem: string };

/** A valid line of the log, with its offset and text in case it is rejected later. */
type ReadLine = { offset: number; text: string; event: RunEvent };

export type ParsedLines = { events: ReadLine[]; rejected: RejectedLine[]; consumedBytes: number };

type Position = {
  /** Offset in the log of the first byte to parse. */
  offset: number;
  /** True if the log is complete: its last line is then parsed even without a line end. */
  isFinal: boolean;
};

/** Number of bytes without a line end that are parsed as a line, so that parsing never stops at an endless line. */
export const maxLineBytes = 1 << 20;

/** Parses a log's lines. An unfinished last line stays unread, unless final or too long. Invalid lines are rejected. */
export function parseLines(bytes: Uint8Array, { offset, isFinal }: Position): ParsedLines {
  const parsed: ParsedLines = { events: [], rejected: [], consumedBytes: 0 };
  const take = (end: number, next: number) => {
    addLine(parsed, decoder.decode(bytes.subarray(parsed.consumedBytes, end)), offset + parsed.consumedBytes);
    parsed.consumedBytes = next;
  };
  for (;;) {
    const end = bytes.indexOf(lineFeed, parsed.consumedBytes);
    if (end === -1) break;
    take(end, end + 1);
  }
  const tail = bytes.length - parsed.consumedBytes;
  if (tail >= maxLineBytes || (isFinal && tail > 0)) take(bytes.length, bytes.length);
  return parsed;
}

const lineFeed = 10;
const decoder = new TextDecoder();

function addLine({ events, rejected }: ParsedLines, text: string, offset: number): void {
  if (text.trim() === "") return;
  const result = readRunEvent(tryJson(text));
  if (result.success) events.push({ offset, text, event: result.data });
  else rejected.push({ offset, text, problem: describe(text, result.error.issues) });
}

function describe(text: string, issues: readonly { path: PropertyKey[]; message: string }[]): string {
  if (text.length >= maxLineBytes) return `longer than ${maxLineBytes} bytes`;
  if (tryJson(text) === undefined) return "not JSON";
  return issues.map(({ path, message }) => `${path.join(".") || "event"}: ${message}`).join("; ");
}
