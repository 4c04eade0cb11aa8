import { isDataError } from "#server/db/dataError.ts";
import type { AttemptUpdate, LogUpdate } from "#server/db/logs.ts";
import type { LogPosition } from "./applyLog.ts";
import { applyUpdates, type Storage } from "./applyUpdates.ts";
import { parseLines } from "./parseLines.ts";
import { toLogUpdate } from "./toLogUpdate.ts";

/** What an attempt's log holds beyond the position, as far as it was read; its job has not ended. */
export type FreshBytes = { position: LogPosition; bytes: Uint8Array };

/**
 * Applies what many logs hold next in one transaction, where that is nothing but points. Returns the attempts that are
 * done with for now; the others are for `drainLog`, one by one: logs that start, end or hold what is set aside, and all
 * of them where one has values that no column takes.
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

/** Whether lines bring nothing but points, as nearly all of a live run do. */
function isPlain({ started, done, notes, changes, remarks, rejected, originals, points }: LogUpdate): boolean {
  const others = [notes, changes, remarks, rejected, Object.keys(originals)];
  return started === null && done === null && points.length > 0 && others.every(({ length }) => length === 0);
}
