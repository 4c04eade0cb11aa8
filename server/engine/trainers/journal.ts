import { mkdir, open, readFile, truncate } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DistributiveOmit } from "#packages/base";
import { fromCatalogueUnit, makeNamer, type Namer, toCatalogueUnit } from "#packages/trainers";
import { ignoreMissing } from "#server/config/fileErrors.ts";
import type { TrackedMetric } from "#server/domain/trainers/mlflow/store.ts";
import { isDiskFull } from "#trainer/spec/diskFull.ts";
import { fromMetricValue, RunEvent, toMetricValue } from "#trainer/spec/event.ts";
import { makePointMemory, type StoredPoints } from "./pointMemory.ts";

type NewEvent = DistributiveOmit<RunEvent, "v" | "seq">;
export type Exit = Extract<RunEvent, { type: "done" }>["exit"];

/** Values for a journal's first line, and the time for which its writes may wait on a full disk. */
export type Writer = {
  specHash: string;
  code: string;
  pid: number;
  firstIteration: number;
  lastIteration?: number | undefined;
  origin?: Extract<RunEvent, { type: "started" }>["origin"];
  /** True if the run has earlier attempts. This attempt's first measurement then shows if it resumes from them. */
  mayGoOn?: boolean;
  patience?: Patience;
  /** Maps the trainer's metric names to the studio's metrics that a user chose for them. */
  names?: Readonly<Record<string, string>> | undefined;
};

/** Event log of an external run. A repeated measurement is stored once. Promises resolve once lines are on disk. */
export type Journal = {
  /** Appends the measurements that are not stored yet, and returns these. */
  append(metrics: readonly TrackedMetric[]): Promise<readonly TrackedMetric[]>;
  note(level: "info" | "warning" | "error", text: string, about?: "reading" | "missingMetric"): Promise<void>;
  end(exit: Exit, reason: string): Promise<void>;
  close(): Promise<void>;
};

/** Summary of a journal's complete lines. */
export type JournalState = StoredPoints & {
  lastSeq: number;
  numMetricLines: number;
  /** Maps the stored name of each renamed metric to the trainer's own name. */
  originals: Readonly<Record<string, string>>;
  /** Receives new measurements before they are on disk, in the order of the journal's lines. */
  onFresh?: (metrics: readonly TrackedMetric[]) => void;
};

/** Opens or creates a journal for appending. Its last line must be complete. */
export async function continueJournal(path: string, writer: Writer, state: JournalState): Promise<Journal> {
  await mkdir(dirname(path), { recursive: true });
  const file = await openLineFile(path, writer.patience);
  let flushed: Promise<void> = Promise.resolve();
  const load = async (key: string) => {
    // Measurements that were accepted a moment ago must be on disk before `load` can find them.
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
  /** Returns a `started` line if the first measurement shows that the program resumed, so that earlier values stay. */
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
        // Repeated measurements wait too: the originals may not be on disk yet.
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

/** Returns a function that runs calls one after another, so that repetitions between batches are found. */
function makeTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return await turn;
  };
}

function toStarted({ specHash, code, pid, lastIteration, origin }: Writer, firstIteration: number): NewEvent {
  const sizes = { numParameters: 0, vocabularySize: 0 };
  const steps = { firstIteration, ...(lastIteration !== undefined && { lastIteration }), ...(origin && { origin }) };
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

/** A journal with its contents in memory, for a single attempt in a process without access to a database. */
export type LocalJournal = Journal & {
  read(): readonly TrackedMetric[];
  /** Returns the latest value of each metric, under the trainer's own names and in the trainer's units. */
  newest(): TrackedMetric[];
  history(key: string): readonly TrackedMetric[];
};

/** Opens or creates a journal. A last line that a crash cut off is removed, because its sender repeats it. */
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

/** Returns the later measurement, as in MLflow: higher step, then later time, then larger value (NaN is largest). */
export function newerOf(a: TrackedMetric, b: TrackedMetric): TrackedMetric {
  if (a.step !== b.step) return a.step > b.step ? a : b;
  if (a.timestampMs !== b.timestampMs) return a.timestampMs > b.timestampMs ? a : b;
  return a.value > b.value || Number.isNaN(a.value) ? a : b;
}

async function recover(path: string): Promise<RunEvent[]> {
  const text = (await readFile(path, "utf8").catch(ignoreMissing)) ?? "";
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
 * Returns the first iteration of a program's first measurements. Evaluations refer to an earlier checkpoint, so the
 * next iteration counts. If a program restarts and first logs at step 10, earlier values of nine steps remain.
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

/** Groups measurements of equal step and time into lines. A second value of a key starts another line. */
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

/** An append-only file. Texts appended during a write are written to disk together afterwards. */
type LineFile = {
  /** Appends a text and resolves once it is on disk (fsync). Texts are written in the order of the calls. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
};

/** Maximum time in ms for which a write waits for space on a full disk; an abort of `hurry` ends the wait. */
type Patience = { waitMs: number; hurry?: AbortSignal };

const lookEveryMs = 500;

/** Opens a file for appending. A text cut off by a full disk is removed. A failed write refuses all later ones. */
export async function openLineFile(path: string, { waitMs, hurry }: Patience = { waitMs: 0 }): Promise<LineFile> {
  const file = await open(path, "a");
  let { size } = await file.stat();
  let waiting: string[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  const write = async (bytes: Buffer): Promise<void> => {
    const untilMs = Date.now() + waitMs;
    for (;;) {
      try {
        await file.appendFile(bytes);
        await file.datasync();
        size += bytes.length;
        return;
      } catch (error) {
        if (isDiskFull(error)) await file.truncate(size);
        if (!isDiskFull(error) || hurry?.aborted === true || Date.now() >= untilMs) throw error;
        await sleep(lookEveryMs, undefined, { ...(hurry && { signal: hurry }) }).catch(() => undefined);
      }
    }
  };
  const flush = async (before: Promise<void>): Promise<void> => {
    await before;
    const texts = waiting;
    waiting = [];
    next = undefined;
    await write(Buffer.from(texts.join("")));
  };
  return {
    append: (text) => {
      waiting.push(text);
      if (next === undefined) {
        next = flush(last);
        last = next;
        // The caller of `append` receives this error, so it is ignored here.
        last.catch(() => undefined);
      }
      return next;
    },
    close: async () => {
      await last.catch(() => undefined);
      await file.close();
    },
  };
}
