import { type Point, withChanges } from "#packages/detector";
import { parseEvent, readEventLines, settle } from "#packages/trainers";
import { type RunEvent, toMetricValue } from "#trainer/spec/event.ts";
import type { ForeignRun } from "./foreignRun.ts";

type Origin = { specHash: string; code: string; atMs: number };

/** Maximum number of metrics per line of an event log, since ingest skips lines of a megabyte. */
const maxKeys = 2000;

/** Converts an external run to lines of an event log. A step with thousands of metrics becomes several lines. */
export function* toEventLog(
  { points, originals, notes }: Omit<ForeignRun, "episodes" | "groups">,
  origin: Origin,
): Generator<string> {
  const { atMs, ...writer } = origin;
  let seq = 0;
  const first = points[0]?.atMs ?? atMs;
  const last = points.at(-1)?.atMs ?? atMs;
  const unknown = { host: "elsewhere", pid: 0, numParameters: 0, vocabularySize: 0 };
  const firstIteration = points[0]?.iteration ?? 0;
  yield toLine({ v: 1, seq, atMs: first, type: "started", ...writer, ...unknown, firstIteration });
  for (const { iteration, values, atMs: at } of points) {
    for (const some of split(values)) {
      seq += 1;
      const optimizerStep = iteration;
      const event = { v: 1, seq, atMs: at ?? atMs, type: "metrics", iteration, optimizerStep, values: some } as const;
      yield toLine(seq === 1 && Object.keys(originals).length > 0 ? { ...event, originals: { ...originals } } : event);
    }
  }
  const numMetricLines = seq;
  for (const text of notes) {
    seq += 1;
    yield toLine({ v: 1, seq, atMs: last, type: "note", level: "warning", about: "reading", text });
  }
  const reason = "the end of the imported file";
  yield toLine({ v: 1, seq: seq + 1, atMs: last, type: "done", exit: "completed", reason, numMetricLines });
}

function toLine(event: RunEvent): string {
  return `${JSON.stringify(event)}\n`;
}

type Values = Extract<RunEvent, { type: "metrics" }>["values"];

function split(values: Readonly<Record<string, number>>): Values[] {
  const keys = Object.keys(values);
  const parts: Values[] = [];
  for (let at = 0; at < keys.length; at += maxKeys) {
    const part: Values = {};
    for (const key of keys.slice(at, at + maxKeys)) part[key] = toMetricValue(values[key] ?? NaN);
    parts.push(part);
  }
  return parts;
}

/**
 * Reads the metric values of a trainer's log, `events.jsonl`. Attempts are joined, epochs of behaviour cloning and
 * incomplete lines are omitted, and iterations at which the run was changed from outside are marked.
 */
export function parseEventLog(text: string): readonly Point[] {
  const events = text.split("\n").flatMap((line) => parseEvent(line) ?? []);
  const points = settle(readEventLines(events)).steps.map(({ step, values }) => ({ iteration: step, values }));
  return withChanges(
    points,
    events.flatMap((event) => (event.type === "event" ? [event.iteration] : [])),
  );
}
