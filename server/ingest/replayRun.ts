import type { Pool } from "#server/db/client.ts";
import { inTransaction } from "#server/db/inTransaction.ts";
import { readLogState, readUndetected, saveReplay } from "#server/db/detections.ts";
import { readLoggedPoints } from "#server/db/runPoints.ts";
import { replayPoints } from "./replayPoints.ts";

/**
 * Reads a run from its start, as it is stored: after a resume, under new rules, and when it ends, to look back on it.
 * False when nothing was stored, because the log went on meanwhile or says nothing yet.
 */
export async function replayRun(pool: Pool, runId: string): Promise<boolean> {
  const seen = await readLogState(pool, runId);
  if (seen === undefined) return false;
  const replayed = await replayPoints(await readLoggedPoints(pool, runId), seen);
  if (replayed === undefined) throw new Error(`the stored points of ${runId} do not ascend`);
  return await inTransaction(pool, (client) => saveReplay(client, seen, replayed));
}

/** Catches up with a few runs that were read under other rules, or ended without a word; true when there are more. */
export async function replayWaiting(pool: Pool, limit: number): Promise<boolean> {
  const waiting = await readUndetected(pool, limit);
  for (const runId of waiting) await replayRun(pool, runId);
  return waiting.length === limit;
}
