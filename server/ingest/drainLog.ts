import { maxLineBytes } from "./parseLines.ts";
import { applyLog, type LogPosition } from "./applyLog.ts";
import type { Storage } from "./applyUpdates.ts";

/** Reads a log from a byte on, a bounded chunk at a time; empty at its present end. */
export type ReadLog = (fromByte: number) => Promise<Uint8Array>;

const maxChunks = 32;

/**
 * Applies all that a log holds by now, within bounds, so that one long log does not keep others waiting. True when its
 * job has ended and the last byte is applied.
 */
export async function drainLog(
  storage: Storage,
  from: LogPosition,
  { readLog, hasEnded }: { readLog: ReadLog; hasEnded: boolean },
): Promise<boolean> {
  let position = from;
  for (let i = 0; i < maxChunks; i++) {
    const bytes = await readLog(position.logOffset);
    if (bytes.length === 0) return hasEnded;
    const next = await applyLog(storage, position, { bytes, isFinal: hasEnded && bytes.length < maxLineBytes });
    if (next === undefined || next.logOffset === position.logOffset) return false;
    position = next;
  }
  return false;
}
