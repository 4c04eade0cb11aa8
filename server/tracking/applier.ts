import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "#server/db/client.ts";
import { makeMetricIds } from "#server/db/pointWrites.ts";
import { readPositions } from "#server/db/tracked.ts";
import { applyTogether, type FreshBytes } from "#server/ingest/applyTogether.ts";
import { drainLog } from "#server/ingest/drainLog.ts";

export type TrackedLog = { attemptId: number; folder: string };

/** Brings what journals hold into the database, many at a time, shortly after it was written. */
export type Applier = {
  /** This log has grown. */
  touch(log: TrackedLog): void;
  /** Resolves once everything touched before is applied; throws where that fails. It is tried again by itself. */
  settle(): Promise<void>;
};

export function makeApplier(database: Database): Applier {
  const storage = { pool: database.pool, metricIds: makeMetricIds(database.pool) };
  const grown = new Map<number, TrackedLog>();
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;

  const applyAll = async (): Promise<void> => {
    const logs = new Map(grown);
    grown.clear();
    try {
      for (;;) {
        const fresh = await readFresh(database, [...logs.values()]);
        if (fresh.length === 0) return;
        const applied = await applyTogether(storage, fresh);
        for (const { position, bytes } of fresh) {
          if (applied.has(position.attemptId)) continue;
          const readLog = async (from: number) => bytes.subarray(from - position.logOffset);
          await drainLog(storage, position, { readLog, hasEnded: false });
        }
      }
    } catch (error) {
      // The logs still hold it: nothing is lost, it is only late.
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
      await applyAll();
      delayMs = waitMs;
    } finally {
      round = undefined;
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
    settle: async () => {
      await round?.catch(() => undefined);
      if (grown.size > 0) await start();
    },
  };
}

/** As long as a point may wait for others to share its transaction. */
const waitMs = 50;
const retryMs = 1000;
const maxBytes = 1 << 20;

/** What logs hold beyond what is applied, up to the last whole line; without those that hold nothing more. */
async function readFresh(database: Database, logs: readonly TrackedLog[]): Promise<FreshBytes[]> {
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
  const file = await open(path).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return new Uint8Array();
  try {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(maxBytes), 0, maxBytes, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
