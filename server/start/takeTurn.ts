import { utimesSync } from "node:fs";
import { mkdir, open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

type Waiting = {
  signal: AbortSignal;
  /** Called once if another process holds the lock. */
  onWait: () => void;
  /** Time without a heartbeat after which the lock's owner counts as dead. */
  staleMs?: number;
};

/**
 * Runs `work` under a file lock at `path`. The owner touches the file repeatedly, so that others notice when it was
 * killed. Rejects if aborted while waiting.
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
      // Synchronous: queued behind the work's own file operations it would look dead.
      utimesSync(path, now, now);
    } catch {
      // The file may have been removed; the work continues.
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
