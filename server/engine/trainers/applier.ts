import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "#server/db/storage/client.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { readPositions, listTrackedLogs } from "#server/db/trainers/tracked.ts";
import { applyTogether, type FreshBytes } from "#server/engine/ingest/applyTogether.ts";
import { drainLog } from "#server/engine/ingest/drainLog.ts";
import { ignoreMissing } from "#server/config/fileErrors.ts";

export type TrackedLog = { attemptId: number; folder: string };

/** Applies new lines of journals (event logs of external runs) to the database shortly after they were written. */
export type Applier = {
  touch(log: TrackedLog): void;
  /** Resolves once the lines of these or all touched journals are stored. A failure throws, and is tried again. */
  settle(attemptIds?: readonly number[]): Promise<void>;
};

export function makeApplier(database: Database): Applier {
  const storage = { pool: database.pool, metricIds: makeMetricIds(database.pool) };
  const grown = new Map<number, TrackedLog>();
  /** Ids of the attempts whose journals are being applied now. */
  let applying: ReadonlySet<number> = new Set();
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;

  const applyGrown = async (): Promise<void> => {
    const logs = new Map(grown);
    grown.clear();
    applying = new Set(logs.keys());
    try {
      await applyLogs(storage, [...logs.values()]);
    } catch (error) {
      // The journals still contain the lines, so a later round applies them and none is lost.
      for (const [id, log] of logs) grown.set(id, log);
      throw error;
    }
  };
  const schedule = (delayMs: number) => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void start().catch(() => undefined);
    }, delayMs).unref();
  };
  const run = async (): Promise<void> => {
    let delayMs = retryMs;
    try {
      await applyGrown();
      delayMs = waitMs;
    } finally {
      round = undefined;
      applying = new Set();
      if (grown.size > 0) schedule(delayMs);
    }
  };
  const start = (): Promise<void> => {
    round ??= run();
    return round;
  };
  return {
    touch: (log) => {
      grown.set(log.attemptId, log);
      schedule(waitMs);
    },
    settle: async (attemptIds) => {
      // True if lines of these attempts are waiting. A reader of one run need not wait for the lines of other runs.
      const concerns = (logs: Pick<ReadonlySet<number>, "has" | "size">) =>
        attemptIds === undefined ? logs.size > 0 : attemptIds.some((id) => logs.has(id));
      const isWaiting = concerns(grown);
      if (!isWaiting && !concerns(applying)) return;
      const isApplied = await round?.then(
        () => true,
        () => false,
      );
      // The awaited lines are part of the next round, whichever waiting caller starts it.
      if (isWaiting || isApplied === false) await start();
    },
  };
}

/** Time in ms during which measurements are collected for one transaction. */
const waitMs = 200;
const retryMs = 1000;
const maxBytes = 1 << 20;

type Storage = Pick<Database, "pool"> & { metricIds: ReturnType<typeof makeMetricIds> };

/** Applies the journals' current contents. Later lines wait for the next round, or a busy journal would never end. */
async function applyLogs(storage: Storage, logs: readonly TrackedLog[]): Promise<void> {
  let behind = logs;
  while (behind.length > 0) {
    const fresh = await readFresh(storage, behind);
    const applied = await applyTogether(storage, fresh);
    for (const { position, bytes } of fresh) {
      if (applied.has(position.attemptId)) continue;
      const readLog = async (from: number) => bytes.subarray(from - position.logOffset);
      await drainLog(storage, position, { readLog, hasEnded: false });
    }
    const isDone = ({ position, bytes }: FreshBytes) => applied.has(position.attemptId) && bytes.length < maxBytes;
    const rest = new Set(fresh.filter((one) => !isDone(one)).map(({ position }) => position.attemptId));
    behind = behind.filter(({ attemptId }) => rest.has(attemptId));
  }
}

/** Reads up to 1 MiB of each journal's new bytes; leaves out journals without a complete new line. */
async function readFresh(database: Pick<Database, "pool">, logs: readonly TrackedLog[]): Promise<FreshBytes[]> {
  const folders = new Map(logs.map(({ attemptId, folder }) => [attemptId, folder]));
  const positions = await readPositions(database, [...folders.keys()]);
  const fresh = await Promise.all(
    positions.map(async (position) => ({
      position,
      bytes: await readFrom(join(folders.get(position.attemptId) ?? "", "events.jsonl"), position.logOffset),
    })),
  );
  return fresh.filter(({ bytes }) => bytes.includes(lineFeed));
}

const lineFeed = 10;

async function readFrom(path: string, offset: number): Promise<Uint8Array> {
  const file = await open(path).catch(ignoreMissing);
  if (file === undefined) return new Uint8Array();
  try {
    const numBytes = Math.min(maxBytes, (await file.stat()).size - offset);
    if (numBytes <= 0) return new Uint8Array();
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(numBytes), 0, numBytes, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Applies, in the background, journal lines that earlier processes acknowledged but did not apply to the database. */
export function resumeApplying(database: Database): void {
  const applier = makeApplier(database);
  const look = async () => {
    for (const { attemptId, folder, logOffset } of await listTrackedLogs(database)) {
      const size = (await stat(join(folder, "events.jsonl")).catch(() => undefined))?.size ?? 0;
      if (size > logOffset) applier.touch({ attemptId, folder });
    }
  };
  const tryAgain = () => void look().catch(() => setTimeout(tryAgain, againMs).unref());
  tryAgain();
}

const againMs = 5000;
