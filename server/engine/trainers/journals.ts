import { stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "#server/db/storage/client.ts";
import { readOriginals, readPositions } from "#server/db/trainers/tracked.ts";
import { readPointsOf } from "#server/db/trainers/trackedPoints.ts";
import { AppError } from "#packages/base";
import { toCatalogueUnit } from "#packages/trainers";
import { ignoreMissing } from "#server/config/fileErrors.ts";
import type { Applier, TrackedLog } from "./applier.ts";
import { continueJournal, type Journal } from "./journal.ts";
import type { StoredPoint } from "./pointMemory.ts";
import { noteScales } from "./noteScales.ts";

export type TrackedTarget = TrackedLog & { runId: string };

/** Open journals (event logs of external trainers' runs) of this process. Each journal is opened only once. */
export type Journals = {
  use(target: TrackedTarget, work: (journal: Journal) => Promise<unknown>): Promise<void>;
  /** Closes a journal that is not in use; its next use opens it again. */
  release(attemptId: number): Promise<void>;
  close(): Promise<void>;
};

type Entry = { journal: Promise<Journal>; numUsers: number };

export function makeJournals(database: Database, applier: Applier): Journals {
  const entries = new Map<number, Entry>();
  const release = async (attemptId: number): Promise<void> => {
    const entry = entries.get(attemptId);
    if (entry === undefined || entry.numUsers > 0) return;
    entries.delete(attemptId);
    await (await entry.journal.catch(() => undefined))?.close();
  };
  const enter = async (target: TrackedTarget): Promise<Entry> => {
    const entry = entries.get(target.attemptId) ?? { journal: resume(database, applier, target), numUsers: 0 };
    entry.numUsers += 1;
    // The map stays in order of use, the least recently used journal first.
    entries.delete(target.attemptId);
    entries.set(target.attemptId, entry);
    const idle = [...entries].find(([, { numUsers }]) => numUsers === 0);
    if (entries.size > maxOpen && idle) await release(idle[0]);
    return entry;
  };
  return {
    use: async (target, work) => {
      const entry = await enter(target);
      try {
        await work(await entry.journal);
        applier.touch(target);
      } catch (error) {
        // After an error the journal is closed, so that its next use reads the file's real contents.
        if (entries.get(target.attemptId) === entry) entries.delete(target.attemptId);
        void entry.journal.then((journal) => journal.close()).catch(() => undefined);
        throw error;
      } finally {
        entry.numUsers -= 1;
      }
    },
    release,
    close: async () => {
      for (const attemptId of entries.keys()) await release(attemptId);
    },
  };
}

/** Maximum number of journals that are open at once, each of which uses a file descriptor. */
const maxOpen = 256;
/** Maximum wait for space on a full disk: MLflow's client waits two minutes, and repeats seven times after a 503. */
const patience = { waitMs: 60_000 };
const writer = { specHash: "tracked", code: "mlflow", pid: 0, firstIteration: 0, patience };

/** Opens a run's journal where the database says that it ends, after applying the lines not yet stored. */
async function resume(database: Database, applier: Applier, target: TrackedTarget): Promise<Journal> {
  const { attemptId, runId, folder } = target;
  applier.touch(target);
  await applier.settle([attemptId]);
  const [position] = await readPositions(database, [attemptId]);
  if (position === undefined) throw new AppError("not_found", `there is no run ${runId}`);
  const path = join(folder, "events.jsonl");
  await cutTornLine(path, position.logOffset);
  const load = async (key: string): Promise<StoredPoint[]> => {
    applier.touch(target);
    await applier.settle([attemptId]);
    const originals = await readOriginals(database, runId);
    const name = Object.entries(originals).find(([, original]) => original === key)?.[0] ?? key;
    const points = await readPointsOf(database.pool, attemptId, name);
    return points.map(({ iteration, atMs, value }) => ({
      step: iteration,
      timestampMs: Number.isNaN(atMs) ? undefined : atMs,
      value: name === key ? toCatalogueUnit(key, value) : value,
    }));
  };
  const originals = await readOriginals(database, runId);
  const { lastSeq, numMetricLines } = position;
  const state = { lastSeq, numMetricLines, originals, load, isEmpty: lastSeq === -1 };
  const journal = await continueJournal(path, writer, state);
  return { ...journal, ...noteScales(journal) };
}

/** Removes a last line that a crash cut off. All complete lines are applied, and the sender repeats this one. */
async function cutTornLine(path: string, appliedBytes: number): Promise<void> {
  const sizeBytes = (await stat(path).catch(ignoreMissing))?.size ?? 0;
  if (sizeBytes < appliedBytes) {
    throw new AppError("internal", `${path} has ${sizeBytes} bytes, ${appliedBytes} were applied: the log was cut`);
  }
  if (sizeBytes > appliedBytes) await truncate(path, appliedBytes);
}
