import { maxLineBytes } from "./parseLines.ts";
import { applyLog, type LogPosition } from "./applyLog.ts";
import type { Storage } from "./applyUpdates.ts";

/** Reads a bounded chunk of a log from a byte on; empty at its present end. */
export type ReadLog = (fromByte: number) => Promise<Uint8Array>;

/** Maximum bytes per log and round, and per transaction: each fixed cost is shared by thousands of lines. */
const maxBytes = 32 << 20;
const batchBytes = 4 << 20;

/**
 * Applies all present bytes of a log, up to a limit, so that one long log does not delay the others. True when its job
 * has ended and the last byte is applied.
 */
export async function drainLog(
  storage: Storage,
  from: LogPosition,
  { readLog, hasEnded }: { readLog: ReadLog; hasEnded: boolean },
): Promise<boolean> {
  let position = from;
  while (position.logOffset - from.logOffset < maxBytes) {
    const { bytes, isEnd } = await readBatch(readLog, position.logOffset);
    if (bytes.length === 0) return hasEnded;
    const next = await applyLog(storage, position, { bytes, isFinal: hasEnded && isEnd, hasMore: hasEnded && !isEnd });
    if (next === undefined || next.logOffset === position.logOffset) return false;
    position = next;
  }
  return false;
}

async function readBatch(readLog: ReadLog, fromByte: number): Promise<{ bytes: Uint8Array; isEnd: boolean }> {
  const chunks: Uint8Array[] = [];
  let numBytes = 0;
  let isEnd = false;
  while (!isEnd && numBytes < batchBytes) {
    const chunk = await readLog(fromByte + numBytes);
    chunks.push(chunk);
    numBytes += chunk.length;
    isEnd = chunk.length < maxLineBytes;
  }
  return { bytes: Buffer.concat(chunks), isEnd };
}
