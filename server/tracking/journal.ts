import { appendFile, mkdir, readFile, truncate } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { fromCatalogueUnit } from "#server/domain/external/canonical.ts";
import { makeNamer, type Namer } from "#server/domain/external/namer.ts";
import { toSeries } from "#server/domain/external/toSeries.ts";
import type { TrackedMetric } from "#server/domain/mlflow/store.ts";
import { fromMetricValue, RunEvent, toMetricValue } from "#trainer/spec/event.ts";

type NewEvent = RunEvent extends infer Event ? (Event extends RunEvent ? Omit<Event, "v" | "seq"> : never) : never;
type Exit = Extract<RunEvent, { type: "done" }>["exit"];

/** What a journal's first line says of who writes. */
export type Writer = { specHash: string; code: string; pid: number; firstIteration: number };

/**
 * The event log of a run that another trainer carries out, one line a write. A measurement (key, step, time) that is
 * already in it is not written again, whoever repeats it and after whichever restart.
 */
export type Journal = {
  append(metrics: readonly TrackedMetric[]): Promise<void>;
  note(level: "info" | "warning" | "error", text: string, about?: "reading"): Promise<void>;
  end(exit: Exit, reason: string): Promise<void>;
  /** Everything measured so far, under the trainer's own names and units. */
  read(): Promise<TrackedMetric[]>;
};

/** Opens the log at this path, or begins it. A line that a crash has torn is cut off: whoever sent it sends it again. */
export async function openJournal(path: string, writer: Writer): Promise<Journal> {
  await mkdir(dirname(path), { recursive: true });
  const events = await recover(path);
  const seen = new Set(toMetrics(events).map(identityOf));
  const nameMetrics: Namer = makeNamer(undefined, originalsOf(events));
  let seq = (events.at(-1)?.seq ?? -1) + 1;
  let numMetricLines = events.filter(({ type }) => type === "metrics").length;
  // One write after the other, in the order of the calls.
  let last: Promise<void> = Promise.resolve();
  const write = (make: () => readonly NewEvent[]): Promise<void> => {
    const before = last;
    const written = (async () => {
      await before;
      const lines = make().map((event) => `${JSON.stringify({ v: 1, seq: seq++, ...event })}\n`);
      if (lines.length > 0) await appendFile(path, lines.join(""));
    })();
    last = written.catch(() => undefined);
    return written;
  };
  if (events.length === 0) {
    const { specHash, code, pid, firstIteration } = writer;
    const sizes = { numParameters: 0, vocabularySize: 0 };
    await write(() => [
      { type: "started", atMs: Date.now(), specHash, code, host: hostname(), pid, ...sizes, firstIteration },
    ]);
  }
  return {
    append: (metrics) =>
      write(() => {
        const fresh = metrics.filter((metric) => !seen.has(identityOf(metric)));
        for (const metric of fresh) seen.add(identityOf(metric));
        const lines = groupByMoment(fresh).map(({ step, timestampMs, values }): NewEvent => {
          const named = nameMetrics(values);
          const texts = Object.entries(named.values).map(([key, value]) => [key, toMetricValue(value)] as const);
          return {
            type: "metrics",
            atMs: timestampMs,
            iteration: step,
            optimizerStep: step,
            values: Object.fromEntries(texts),
            ...(Object.keys(named.originals).length > 0 && { originals: named.originals }),
          };
        });
        numMetricLines += lines.length;
        return lines;
      }),
    note: (level, text, about) =>
      write(() => [{ type: "note", atMs: Date.now(), level, ...(about && { about }), text }]),
    end: (exit, reason) => write(() => [{ type: "done", atMs: Date.now(), exit, reason, numMetricLines }]),
    read: async () => {
      await last;
      return toMetrics(parseEvents(await readFile(path, "utf8")));
    },
  };
}

/** What a reader of these measurements should know: where the run went back, and what its success is counted in. */
export function sayMeasurements(metrics: readonly TrackedMetric[]): readonly string[] {
  return toSeries({ lines: metrics.map(({ key, value, step }) => ({ step, values: { [key]: value } })) }).notes;
}

async function recover(path: string): Promise<RunEvent[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  });
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) await truncate(path, Buffer.byteLength(whole));
  return parseEvents(whole);
}

function parseEvents(text: string): RunEvent[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => RunEvent.parse(JSON.parse(line)));
}

function originalsOf(events: readonly RunEvent[]): Record<string, string> {
  const originals: Record<string, string> = {};
  for (const event of events) if (event.type === "metrics") Object.assign(originals, event.originals);
  return originals;
}

function toMetrics(events: readonly RunEvent[]): TrackedMetric[] {
  const originals = originalsOf(events);
  return events.flatMap((event) => {
    if (event.type !== "metrics") return [];
    return Object.entries(event.values).map(([name, value]) => {
      const key = originals[name] ?? name;
      const own = fromCatalogueUnit(key, fromMetricValue(value));
      return { key, value: own, step: event.iteration, timestampMs: event.atMs };
    });
  });
}

function identityOf({ key, step, timestampMs }: TrackedMetric): string {
  return `${step} ${timestampMs} ${key}`;
}

/** Measurements of one step and moment share a line, in the order in which they came. */
function groupByMoment(metrics: readonly TrackedMetric[]) {
  const groups = new Map<string, { step: number; timestampMs: number; values: Record<string, number> }>();
  for (const { key, value, step, timestampMs } of metrics) {
    const moment = `${step} ${timestampMs}`;
    const group = groups.get(moment) ?? { step, timestampMs, values: {} };
    group.values[key] = value;
    groups.set(moment, group);
  }
  return [...groups.values()];
}
