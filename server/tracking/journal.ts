import { mkdir, readFile, truncate } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import type { DistributiveOmit } from "#server/domain/distributiveOmit.ts";
import { fromCatalogueUnit, toCatalogueUnit } from "#server/domain/external/canonical.ts";
import { makeNamer, type Namer } from "#server/domain/external/namer.ts";
import type { TrackedMetric } from "#server/domain/mlflow/store.ts";
import { fromMetricValue, RunEvent, toMetricValue } from "#trainer/spec/event.ts";
import { openLineFile, type Patience } from "./lineFile.ts";
import { makePointMemory, type StoredPoint } from "./pointMemory.ts";

type NewEvent = DistributiveOmit<RunEvent, "v" | "seq">;
type Exit = Extract<RunEvent, { type: "done" }>["exit"];

/** What a journal's first line says of who writes, and how long its lines wait where the disk is full. */
export type Writer = {
  specHash: string;
  code: string;
  pid: number;
  firstIteration: number;
  lastIteration?: number | undefined;
  /** The run has earlier attempts, and only the first measurement shows whether this one goes on from them. */
  mayGoOn?: boolean;
  patience?: Patience;
  /** The trainer's own name of a metric → the one that a person says it is. */
  names?: Readonly<Record<string, string>> | undefined;
};

/**
 * The event log of a run that another trainer carries out. A measurement (key, step, time, value) that is already in it is
 * not written again, whoever repeats it and after whichever restart. Each promise resolves once the lines are on the disk.
 */
export type Journal = {
  /** Returns what was new. */
  append(metrics: readonly TrackedMetric[]): Promise<readonly TrackedMetric[]>;
  note(level: "info" | "warning" | "error", text: string, about?: "reading"): Promise<void>;
  end(exit: Exit, reason: string): Promise<void>;
  close(): Promise<void>;
};

/** Where a log stands: what its whole lines hold, and how a key's points are looked up. */
export type JournalState = {
  lastSeq: number;
  numMetricLines: number;
  /** Stored name → the trainer's own key, of what was renamed. */
  originals: Readonly<Record<string, string>>;
  load: (key: string) => Promise<readonly StoredPoint[]>;
  /** Nothing was ever measured: a key seen for the first time needs no look. */
  isEmpty: boolean;
  /** Hears of what is new before it is on the disk, in the order of the lines. */
  onFresh?: (metrics: readonly TrackedMetric[]) => void;
};

/** Goes on with a log whose last line is whole, or begins it. */
export async function continueJournal(path: string, writer: Writer, state: JournalState): Promise<Journal> {
  await mkdir(dirname(path), { recursive: true });
  const file = await openLineFile(path, writer.patience);
  let flushed: Promise<void> = Promise.resolve();
  const load = async (key: string) => {
    // What was taken a moment ago has to be found.
    await flushed;
    return await state.load(key);
  };
  const sift = makePointMemory({ load, isEmpty: state.isEmpty });
  const nameMetrics = makeNamer(undefined, state.originals, writer.names);
  let seq = state.lastSeq + 1;
  let { numMetricLines } = state;
  const write = (events: readonly NewEvent[]): Promise<void> => {
    flushed = file.append(events.map((event) => `${JSON.stringify({ v: 1, seq: seq++, ...event })}\n`).join(""));
    return flushed;
  };
  const inTurn = makeTurns();
  if (seq === 0) await write([toStarted(writer, writer.firstIteration)]);
  /** Begins the log again where a program's first measurement shows that it went on: what was before it stays. */
  const beginAgain = (events: readonly NewEvent[]): NewEvent[] => {
    if (!writer.mayGoOn || numMetricLines > 0) return [];
    const firstIteration = firstIterationOf(events);
    return firstIteration > writer.firstIteration ? [toStarted(writer, firstIteration)] : [];
  };
  return {
    append: async (metrics) => {
      const { fresh, written } = await inTurn(async () => {
        const fresh = await sift(metrics);
        state.onFresh?.(fresh);
        const measured = groupByMoment(fresh).map((moment) => toEvent(moment, nameMetrics(moment.values)));
        const events = [...beginAgain(measured), ...measured];
        numMetricLines += measured.length;
        // Also where all of it is repeated: what it repeats may still be on its way to the disk.
        return { fresh, written: write(events) };
      });
      await written;
      return fresh;
    },
    note: (level, text, about) => write([{ type: "note", atMs: Date.now(), level, ...(about && { about }), text }]),
    end: async (exit, reason) => {
      const { written } = await inTurn(async () => ({
        written: write([{ type: "done", atMs: Date.now(), exit, reason, numMetricLines }]),
      }));
      await written;
    },
    close: async () => {
      await inTurn(async () => undefined);
      await file.close();
    },
  };
}

/** Works one after the other, in the order of the calls: batches are sifted in turn, and share the way to the disk. */
function makeTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return await turn;
  };
}

function toStarted({ specHash, code, pid, lastIteration }: Writer, firstIteration: number): NewEvent {
  const sizes = { numParameters: 0, vocabularySize: 0 };
  const steps = { firstIteration, ...(lastIteration !== undefined && { lastIteration }) };
  return { type: "started", atMs: Date.now(), specHash, code, host: hostname(), pid, ...sizes, ...steps };
}

function toEvent({ step, timestampMs }: Moment, { values, originals }: ReturnType<Namer>): NewEvent {
  const texts = Object.entries(values).map(([key, value]) => [key, toMetricValue(value)] as const);
  return {
    type: "metrics",
    atMs: timestampMs,
    iteration: step,
    optimizerStep: step,
    values: Object.fromEntries(texts),
    ...(Object.keys(originals).length > 0 && { originals }),
  };
}

/** A journal that answers from memory what it holds: of one attempt, where no database is within reach. */
export type LocalJournal = Journal & {
  /** All that was measured, in the order in which it came. */
  read(): readonly TrackedMetric[];
  /** The newest value of each metric, under the trainer's own names and units. */
  newest(): TrackedMetric[];
  history(key: string): readonly TrackedMetric[];
};

/** Opens the log at this path, or begins it. A line that a crash has torn is cut off: whoever sent it sends it again. */
export async function openJournal(path: string, writer: Writer): Promise<LocalJournal> {
  const events = await recover(path);
  const originals = originalsOf(events);
  const points = new Map<string, TrackedMetric[]>();
  const newest = new Map<string, TrackedMetric>();
  const all: TrackedMetric[] = [];
  const keep = (metric: TrackedMetric) => {
    const ofKey = points.get(metric.key) ?? [];
    ofKey.push(metric);
    points.set(metric.key, ofKey);
    const before = newest.get(metric.key);
    newest.set(metric.key, before === undefined ? metric : newerOf(before, metric));
    all.push(metric);
  };
  for (const metric of toMetrics(events, originals)) keep(metric);
  const journal = await continueJournal(path, writer, {
    lastSeq: events.at(-1)?.seq ?? -1,
    numMetricLines: events.filter(({ type }) => type === "metrics").length,
    originals,
    isEmpty: false,
    onFresh: (metrics) => metrics.forEach(keep),
    load: async (key) =>
      (points.get(key) ?? []).map((point) => ({ ...point, value: toCatalogueUnit(key, point.value) })),
  });
  return {
    ...journal,
    read: () => all,
    newest: () => [...newest.values()],
    history: (key) => points.get(key) ?? [],
  };
}

/** Which of two points MLflow calls the newest: of the higher step, then the later, then the larger (NaN is the largest). */
export function newerOf(a: TrackedMetric, b: TrackedMetric): TrackedMetric {
  if (a.step !== b.step) return a.step > b.step ? a : b;
  if (a.timestampMs !== b.timestampMs) return a.timestampMs > b.timestampMs ? a : b;
  return a.value > b.value || Number.isNaN(a.value) ? a : b;
}

async function recover(path: string): Promise<RunEvent[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  });
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) await truncate(path, Buffer.byteLength(whole));
  return whole
    .split("\n")
    .filter(Boolean)
    .map((line) => RunEvent.parse(JSON.parse(line)));
}

function originalsOf(events: readonly RunEvent[]): Record<string, string> {
  const originals: Record<string, string> = {};
  for (const event of events) if (event.type === "metrics") Object.assign(originals, event.originals);
  return originals;
}

function toMetrics(events: readonly RunEvent[], originals: Readonly<Record<string, string>>): TrackedMetric[] {
  return events.flatMap((event) => {
    if (event.type !== "metrics") return [];
    return Object.entries(event.values).map(([name, value]) => {
      const key = originals[name] ?? name;
      const number = fromMetricValue(value);
      const original = name === key ? number : fromCatalogueUnit(key, number);
      return { key, value: original, step: event.iteration, timestampMs: event.atMs };
    });
  });
}

/**
 * The iteration from which on a program's first measurements are. An evaluation alone is of a checkpoint, whose training
 * was measured before. A program that begins anew and measures for the first time at step 10 leaves nine old steps.
 */
function firstIterationOf(events: readonly NewEvent[]): number {
  const firsts = events.flatMap((event) => {
    if (event.type !== "metrics") return [];
    const isEvaluation = Object.keys(event.values).every((key) =>
      /^(?:evaluation|eval|val(?:-\w+)?|\w*[tT]askSuccess)[/_]/.test(key),
    );
    return isEvaluation ? event.iteration + 1 : event.iteration;
  });
  return firsts.length === 0 ? 0 : Math.min(...firsts);
}

type Moment = { step: number; timestampMs: number; values: Record<string, number> };

/** Measurements of one step and moment share a line; a second value of the same key begins another. */
function groupByMoment(metrics: readonly TrackedMetric[]): Moment[] {
  const groups: Moment[] = [];
  const byMoment = new Map<string, Moment>();
  for (const { key, value, step, timestampMs } of metrics) {
    const moment = `${step} ${timestampMs}`;
    let group = byMoment.get(moment);
    if (group === undefined || Object.hasOwn(group.values, key)) {
      group = { step, timestampMs, values: {} };
      groups.push(group);
      byMoment.set(moment, group);
    }
    group.values[key] = value;
  }
  return groups;
}
