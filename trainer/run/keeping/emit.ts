import { openSync, closeSync, writeSync, readFileSync, existsSync, fstatSync, ftruncateSync } from "node:fs";
import { RunEvent, toMetricValue, type MetricsEvent } from "#trainer/spec/event.ts";
import { countsEpochs, isMeasured } from "#trainer/spec/metric.ts";
import type { z } from "zod";

type Unstamped<Event> = Event extends unknown ? Omit<Event, "v" | "seq" | "atMs"> : never;
type NewEvent = Unstamped<z.infer<typeof RunEvent>>;

export type Progress = { iteration: number; optimizerStep: number };

/** A run's log. Each line is one write: a killed trainer leaves at most the last line incomplete. */
export type Emitter = {
  emit(event: NewEvent): void;
  /** Writes metrics, NaN or infinite too. A line that an earlier process wrote is compared instead. */
  metrics(progress: Progress, values: Readonly<Record<string, number>>): void;
  /** Logs a change of the training data, unless an earlier process logged it. */
  change(iteration: number, text: string): void;
  /** Logs the actions of an evaluation's episodes, unless an earlier process logged them. */
  traces(traces: Omit<Extract<NewEvent, { type: "traces" }>, "type">): void;
  note(level: "info" | "warning" | "error", text: string): void;
  /** Writes the last line, with the number of metric lines as a completeness check for readers. */
  done(exit: Extract<NewEvent, { type: "done" }>["exit"], reason: string): void;
  close(): void;
};

export function openLog(path: string, now: () => number = Date.now): Emitter {
  const earlier = existsSync(path) ? inspect(path) : nothing;
  const file = openSync(path, "a");
  if (earlier.intactBytes < earlier.size) ftruncateSync(file, earlier.intactBytes);
  let seq = earlier.nextSeq;
  let numMetricLines = earlier.metrics.size;
  const emit = (event: NewEvent): void => {
    writeWhole(file, `${JSON.stringify({ v: 1, seq, atMs: now(), ...event })}\n`);
    seq++;
  };
  const note = (level: "info" | "warning" | "error", text: string): void => emit({ type: "note", level, text });
  return {
    emit,
    metrics({ iteration, optimizerStep }, values) {
      const written = Object.fromEntries(Object.entries(values).map(([key, x]) => [key, toMetricValue(x)]));
      const known = earlier.metrics.get(lineKey(iteration, written));
      if (known) {
        const differing = differences(known, written);
        if (differing.length > 0) {
          note("error", `iteration ${iteration} computed again gave other values: ${differing.join(", ")}`);
        }
        return;
      }
      emit({ type: "metrics", iteration, optimizerStep, values: written });
      numMetricLines++;
    },
    change(iteration, text) {
      if (!earlier.changes.has(iteration)) emit({ type: "event", event: "data", iteration, text });
    },
    traces(traces) {
      if (!earlier.traces.has(traceKey(traces))) emit({ type: "traces", ...traces });
    },
    note,
    done: (exit, reason) => emit({ type: "done", exit, reason, numMetricLines }),
    close: () => closeSync(file),
  };
}

type Values = MetricsEvent["values"];
const nothing = {
  nextSeq: 0,
  intactBytes: 0,
  size: 0,
  metrics: new Map<string, Values>(),
  /** Iterations for which the log already has a change of the training data. */
  changes: new Set<number>(),
  /** Evaluations whose actions the log already has. */
  traces: new Set<string>(),
};

type Place = { iteration: number; part?: string | undefined; unseen?: true | undefined };

function traceKey({ iteration, part = "", unseen }: Place): string {
  return `${iteration} ${unseen === true} ${part}`;
}

function lineKey(iteration: number, values: Values): string {
  return `${Object.keys(values).every(countsEpochs) ? "epoch" : "iteration"} ${iteration}`;
}

/** Up to three keys whose values differ between two lines of one iteration, except time and machine. */
function differences(before: Values, after: Values): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => !isMeasured(key) && before[key] !== after[key])
    .slice(0, 3)
    .map((key) => `${key} was ${before[key] ?? "missing"}, is ${after[key] ?? "missing"}`);
}

/** Reads the log lines that an earlier process wrote. `intactBytes` excludes an incomplete last line, to be cut off. */
function inspect(path: string): typeof nothing {
  const bytes = readFileSync(path);
  const intactBytes = bytes.lastIndexOf("\n") + 1;
  const lines = bytes.subarray(0, intactBytes).toString("utf8").split("\n").slice(0, -1);
  const events = lines.map((line) => RunEvent.parse(JSON.parse(line)));
  const metrics = new Map<string, Values>();
  const changes = new Set(events.flatMap((event) => (event.type === "event" ? [event.iteration] : [])));
  const traces = new Set(events.flatMap((event) => (event.type === "traces" ? [traceKey(event)] : [])));
  for (const event of events) {
    if (event.type === "metrics") metrics.set(lineKey(event.iteration, event.values), event.values);
  }
  return { nextSeq: (events.at(-1)?.seq ?? -1) + 1, intactBytes, size: bytes.length, metrics, changes, traces };
}

/** If only part of the line can be written, as on a full disk, removes that part and throws. */
function writeWhole(file: number, line: string): void {
  const bytes = Buffer.from(line, "utf8");
  const { size } = fstatSync(file);
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
}
