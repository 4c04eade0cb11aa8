import { utimesSync } from "node:fs";
import { mkdir, open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

type Waiting = {
  signal: AbortSignal;
  /** Called once if another process has the turn. */
  onWait: () => void;
  /** After so long without a sign of life, the process that has the turn is taken to be dead. */
  staleMs?: number;
};

/**
 * Does `work` while no other process does under the same `path`. The process that has the turn touches the file again
 * and again, so that the others notice when it was killed. Rejects when aborted while it waits.
 */
export async function takeTurn<T>(path: string, waiting: Waiting, work: () => Promise<T>): Promise<T> {
  const { signal, onWait, staleMs = 10_000 } = waiting;
  await mkdir(dirname(path), { recursive: true });
  let hasReported = false;
  while (!(await isTaken(path))) {
    if (await isStale(path, staleMs)) await rm(path, { force: true });
    else {
      if (!hasReported) onWait();
      hasReported = true;
      await sleep(200, undefined, { signal });
    }
  }
  const alive = setInterval(() => {
    const now = new Date();
    try {
      // At once: behind the work's own compressions in the queue of files it would look dead.
      utimesSync(path, now, now);
    } catch {
      // Somebody may have tidied it away; the work goes on.
    }
  }, staleMs / 5);
  try {
    return await work();
  } finally {
    clearInterval(alive);
    await rm(path, { force: true });
  }
}

async function isTaken(path: string): Promise<boolean> {
  try {
    await (await open(path, "wx")).close();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function isStale(path: string, staleMs: number): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs > staleMs;
}
