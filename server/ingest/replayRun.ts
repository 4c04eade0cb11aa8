import type { Pool } from "#server/db/client.ts";
import { inTransaction } from "#server/db/inTransaction.ts";
import { readLogState, readUndetected, saveReplay } from "#server/db/detections.ts";
import { readLoggedPoints } from "#server/db/runPoints.ts";
import { parseStoredSpec } from "#server/domain/import/storedSpec.ts";
import { toEffective } from "#server/domain/stability/detector.ts";
import { lookBack } from "#server/domain/stability/label/hindsight.ts";
import { advance, startStanding, withRates } from "#server/domain/stability/online.ts";
import { samplingOf } from "#server/domain/stability/logs/samplingOf.ts";

/**
 * Reads a run from its start, as it is stored: after a resume, under new rules, and when it ends, to look back on it.
 * False when nothing was stored, because the log went on meanwhile or says nothing yet.
 */
export async function replayRun(pool: Pool, runId: string): Promise<boolean> {
  const seen = await readLogState(pool, runId);
  if (seen === undefined) return false;
  const effective = toEffective(samplingOf(parseStoredSpec(seen.spec)));
  const points = await readLoggedPoints(pool, runId);
  const advanced = advance(startStanding(effective, points), points);
  if (advanced === undefined) throw new Error(`the stored points of ${runId} do not ascend`);
  const { standing, events } = advanced;
  const { isOver, hasDiverged } = seen;
  const hindsight = isOver ? lookBack(withRates(points), { effective, hasDiverged }) : null;
  return await inTransaction(pool, (client) => saveReplay(client, seen, { standing, events, hindsight }));
}

/** Catches up with a few runs that were read under other rules, or ended without a word; true when there are more. */
export async function replayWaiting(pool: Pool, limit: number): Promise<boolean> {
  const waiting = await readUndetected(pool, limit);
  for (const runId of waiting) await replayRun(pool, runId);
  return waiting.length === limit;
}
