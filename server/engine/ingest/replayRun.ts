import { setImmediate } from "node:timers/promises";
import type { Interruptible } from "#packages/base";
import {
  advancing,
  causesOnly,
  lookingBack,
  makeStatuses,
  type Point,
  shippedConfig,
  startStanding,
  statusesOf,
  toEffective,
  withRates,
} from "#packages/detector";
import type { Pool } from "#server/db/storage/client.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { readLogState, readUndetected, type Replayed, saveReplay } from "#server/db/analysis/detections.ts";
import { readLoggedPoints } from "#server/db/runs/points.ts";
import { samplingOf } from "#server/domain/analysis/stability/samplingOf.ts";
import { parseStoredSpec } from "#server/domain/plan/sweep/storedSpec.ts";

/**
 * Runs the detector over a stored run from its start: after a resume, under new rules, and for the hindsight label.
 * False if nothing was stored, because the log grew meanwhile or has no measurements.
 */
export async function replayRun(pool: Pool, runId: string): Promise<boolean> {
  const seen = await readLogState(pool, runId);
  if (seen === undefined) return false;
  const replayed = await replayPoints(await readLoggedPoints(pool, runId), seen);
  if (replayed === undefined) throw new Error(`the stored points of ${runId} do not ascend`);
  return await inTransaction(pool, (client) => saveReplay(client, seen, replayed));
}

/** Replays up to `limit` runs with a missing or outdated detector state or label. True if more may remain. */
export async function replayWaiting(pool: Pool, limit: number): Promise<boolean> {
  const waiting = await readUndetected(pool, limit);
  for (const runId of waiting) await replayRun(pool, runId);
  return waiting.length === limit;
}

/** Specification of a run's cell, and how the run ended. An unfinished run gets no hindsight label. */
type Circumstances = { spec: unknown; isOver: boolean; hasDiverged: boolean };

/** Runs long work in slices, between which other work of this process can run. */
export async function finishInTurns<Result>(work: Interruptible<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await setImmediate();
  }
}

/** Runs the detector over logged points. Undefined if iterations do not ascend. Other work runs meanwhile. */
export async function replayPoints(
  points: readonly Point[],
  { spec, isOver, hasDiverged }: Circumstances,
): Promise<Replayed | undefined> {
  const effective = toEffective(samplingOf(parseStoredSpec(spec), isOver ? points.length : undefined));
  const causes = makeStatuses(causesOnly(shippedConfig), effective);
  const reading = advancing(startStanding(effective, points), points, isOver ? causes.watch : undefined);
  const advanced = await finishInTurns(reading);
  if (advanced === undefined) return undefined;
  const { standing, events } = advanced;
  if (!isOver) return { standing, events, hindsight: null };
  const whole = statusesOf(standing, points);
  const statuses = whole && { whole, causes: causes.statuses };
  const hindsight = await finishInTurns(lookingBack(withRates(points), { effective, hasDiverged, statuses }));
  return { standing, events, hindsight };
}
