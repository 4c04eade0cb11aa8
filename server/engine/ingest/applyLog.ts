import { isDataError } from "#server/db/storage/inTransaction.ts";
import { applyUpdates, type Storage } from "./applyUpdates.ts";
import { type ParsedLines, parseLines, toLogUpdate } from "./toLogUpdate.ts";

export type LogPosition = { attemptId: number; logOffset: number; lastSeq: number; numMetricLines: number };

/**
 * Applies the log bytes after `position` to the database. Returns the new position, or undefined if another process
 * has applied these bytes already. With `isFinal`, these bytes end the log, and its last line needs no line end. With
 * `hasMore`, the job has ended but its log continues, so the hindsight label waits.
 */
export async function applyLog(
  storage: Storage,
  position: LogPosition,
  { bytes, isFinal, hasMore = false }: { bytes: Uint8Array; isFinal: boolean; hasMore?: boolean },
): Promise<LogPosition | undefined> {
  const parsed = parseLines(bytes, { offset: position.logOffset, isFinal });
  return await applyLines(storage, position, { ...parsed, hasMore });
}

type Lines = ParsedLines & { hasMore?: boolean };

async function applyLines(storage: Storage, position: LogPosition, lines: Lines): Promise<LogPosition | undefined> {
  if (lines.consumedBytes === 0) return position;
  const { attemptId } = position;
  const update = toLogUpdate(lines, position);
  let applied;
  try {
    applied = await applyUpdates(storage, [{ attemptId, update }], lines);
  } catch (error) {
    if (!isDataError(error)) throw error;
    return await applyAround(storage, position, { lines, problem: error.message });
  }
  if (!applied.has(attemptId)) return undefined;
  const numMetricLines = position.numMetricLines + update.points.length;
  return { attemptId, logOffset: update.nextOffset, lastSeq: update.lastSeq, numMetricLines };
}

type Refused = { lines: ParsedLines; problem: string };

// Bisects lines until it finds the line with a value that no column can store, and rejects that line alone.
async function applyAround(storage: Storage, position: LogPosition, { lines, problem }: Refused) {
  const { events, rejected, consumedBytes } = lines;
  const middle = events[Math.ceil(events.length / 2)];
  const [first] = events;
  if (first === undefined) throw new Error(`nothing left to set aside: ${problem}`);
  if (middle === undefined) {
    const { offset, text } = first;
    return await applyLines(storage, position, {
      events: [],
      rejected: [...rejected, { offset, text, problem }],
      consumedBytes,
    });
  }
  const partOf = (isFirst: boolean) => {
    const isIn = ({ offset }: { offset: number }) => offset < middle.offset === isFirst;
    return { events: events.filter(isIn), rejected: rejected.filter(isIn) };
  };
  const numBytes = middle.offset - position.logOffset;
  const half = await applyLines(storage, position, { ...partOf(true), consumedBytes: numBytes });
  if (half === undefined) return undefined;
  return await applyLines(storage, half, { ...partOf(false), consumedBytes: consumedBytes - numBytes });
}
