import { isDataError } from "#server/db/storage/inTransaction.ts";
import type { AttemptUpdate, LogUpdate } from "#server/db/runs/logs.ts";
import type { LogPosition } from "./applyLog.ts";
import { applyUpdates, type Storage } from "./applyUpdates.ts";
import { parseLines, toLogUpdate } from "./toLogUpdate.ts";

/** Log bytes of an attempt that are not yet stored. The attempt's job has not ended. */
export type FreshBytes = { position: LogPosition; bytes: Uint8Array };

/**
 * Applies the next bytes of several logs in one transaction. Skips logs whose new lines are not all points; the caller
 * passes those to `drainLog`. Returns the applied attempts; none if the database rejects a value.
 */
export async function applyTogether(storage: Storage, fresh: readonly FreshBytes[]): Promise<ReadonlySet<number>> {
  const updates = fresh.flatMap(({ position, bytes }): AttemptUpdate[] => {
    const lines = parseLines(bytes, { offset: position.logOffset, isFinal: false });
    const update = toLogUpdate(lines, position);
    return isPlain(update) ? [{ attemptId: position.attemptId, update }] : [];
  });
  if (updates.length === 0) return new Set();
  return await applyUpdates(storage, updates).catch((error: unknown) => {
    if (isDataError(error)) return new Set<number>();
    throw error;
  });
}

/** True if new log lines contain only metric points, which is the usual case in a live run. */
function isPlain({ started, done, notes, changes, remarks, rejected, originals, points }: LogUpdate): boolean {
  const others = [notes, changes, remarks, rejected, Object.keys(originals)];
  return started === null && done === null && points.length > 0 && others.every(({ length }) => length === 0);
}
