import { isDataError } from "#server/db/dataError.ts";
import { applyPlainUpdates, isPlain, type PlainUpdate } from "#server/db/logs.ts";
import type { LogPosition, Storage } from "./applyLog.ts";
import { parseLines } from "./parseLines.ts";
import { replayRun } from "./replayRun.ts";
import { toLogUpdate } from "./toLogUpdate.ts";

/** What an attempt's log holds beyond the position, as far as it was read; its job has not ended. */
export type FreshBytes = { position: LogPosition; bytes: Uint8Array };

/**
 * Applies what many logs hold next in one transaction, where that is nothing but points. Returns the attempts that are
 * done with for now; the others are for `drainLog`, one by one: logs that start, end or hold what is set aside, and all
 * of them where one has values that no column takes.
 */
export async function applyTogether(storage: Storage, fresh: readonly FreshBytes[]): Promise<ReadonlySet<number>> {
  const updates = fresh.flatMap(({ position, bytes }): PlainUpdate[] => {
    const lines = parseLines(bytes, { offset: position.logOffset, isFinal: false });
    const update = toLogUpdate(lines, position);
    return isPlain(update) ? [{ attemptId: position.attemptId, update }] : [];
  });
  if (updates.length === 0) return new Set();
  const together = applyPlainUpdates(storage.pool, { updates, metricIds: storage.metricIds });
  const { applied, toReplay } = await together.catch((error: unknown) => {
    if (isDataError(error)) return nothing;
    throw error;
  });
  for (const runId of toReplay) await replayRun(storage.pool, runId);
  return applied;
}

const nothing = { applied: new Set<number>(), toReplay: new Set<string>() };
