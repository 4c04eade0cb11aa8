import type { Pool } from "#server/db/storage/client.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { readLogState, readUndetected, saveReplay } from "#server/db/analysis/detections.ts";
import { readLoggedPoints } from "#server/db/runs/runPoints.ts";
import { replayPoints } from "./replayPoints.ts";

/**
 * Reads a stored run from its start: after a resume, under new rules, and at its end for the hindsight label. False if
 * nothing was stored, because the log grew meanwhile or is still empty.
 */
export async function replayRun(pool: Pool, runId: string): Promise<boolean> {
  const seen = await readLogState(pool, runId);
  if (seen === undefined) return false;
  const replayed = await replayPoints(await readLoggedPoints(pool, runId), seen);
  if (replayed === undefined) throw new Error(`the stored points of ${runId} do not ascend`);
  return await inTransaction(pool, (client) => saveReplay(client, seen, replayed));
}

/** Replays a few runs that were read under other rules, or ended without a final line; true if there are more. */
export async function replayWaiting(pool: Pool, limit: number): Promise<boolean> {
  const waiting = await readUndetected(pool, limit);
  for (const runId of waiting) await replayRun(pool, runId);
  return waiting.length === limit;
}
