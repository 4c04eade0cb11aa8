import { openSync, closeSync, writeSync, readFileSync, existsSync, ftruncateSync } from "node:fs";
import { RunEvent, toMetricValue } from "#trainer/spec/event.ts";
import type { z } from "zod";

type Unstamped<Event> = Event extends unknown ? Omit<Event, "v" | "seq" | "atMs"> : never;
type NewEvent = Unstamped<z.infer<typeof RunEvent>>;

export type Progress = { iteration: number; optimizerStep: number };

/** The run's log, open for appending. Each line is one write, so a killed trainer tears at most the last one. */
export type Emitter = {
  emit(event: NewEvent): void;
  /** A `metrics` line; NaN and infinities are written, not hidden. */
  metrics(progress: Progress, values: Readonly<Record<string, number>>): void;
  note(level: "info" | "warning" | "error", text: string): void;
  /** The last line: how the run ended, and how many metric lines the reader must have seen. */
  done(exit: Extract<NewEvent, { type: "done" }>["exit"], reason: string): void;
  close(): void;
};

export function openLog(path: string, now: () => number = Date.now): Emitter {
  const { nextSeq, intactBytes, size } = existsSync(path) ? inspect(path) : { nextSeq: 0, intactBytes: 0, size: 0 };
  const file = openSync(path, "a");
  if (intactBytes < size) ftruncateSync(file, intactBytes);
  let seq = nextSeq;
  let numMetricLines = 0;
  const emit = (event: NewEvent): void => {
    writeWhole(file, `${JSON.stringify({ v: 1, seq, atMs: now(), ...event })}\n`);
    seq++;
  };
  return {
    emit,
    metrics({ iteration, optimizerStep }, values) {
      const written = Object.fromEntries(Object.entries(values).map(([key, x]) => [key, toMetricValue(x)]));
      emit({ type: "metrics", iteration, optimizerStep, values: written });
      numMetricLines++;
    },
    note: (level, text) => emit({ type: "note", level, text }),
    done: (exit, reason) => emit({ type: "done", exit, reason, numMetricLines }),
    close: () => closeSync(file),
  };
}

/** Where an earlier process left the log: a torn last line is cut off before appending, never written into. */
function inspect(path: string): { nextSeq: number; intactBytes: number; size: number } {
  const bytes = readFileSync(path);
  const intactBytes = bytes.lastIndexOf("\n") + 1;
  const lastLine = bytes.subarray(0, intactBytes).toString("utf8").trimEnd().split("\n").at(-1) ?? "";
  const nextSeq = lastLine === "" ? 0 : RunEvent.parse(JSON.parse(lastLine)).seq + 1;
  return { nextSeq, intactBytes, size: bytes.length };
}

/** A write may be short when the disk fills up; the rest either follows or the error is thrown. */
function writeWhole(file: number, line: string): void {
  const bytes = Buffer.from(line, "utf8");
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
}
