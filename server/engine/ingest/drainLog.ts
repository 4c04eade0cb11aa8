import { type FileHandle, open } from "node:fs/promises";
import { AppError } from "#packages/base";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import type { Database } from "#server/db/storage/client.ts";
import { maxLineBytes } from "./toLogUpdate.ts";
import { applyLog, type LogPosition } from "./applyLog.ts";
import type { Storage } from "./applyUpdates.ts";

/** Reads a bounded chunk of a log from a byte offset; empty at the log's current end. */
export type ReadLog = (fromByte: number) => Promise<Uint8Array>;

/** Maximum bytes per call, and per transaction, which shares its fixed costs among thousands of lines. */
const maxBytes = 32 << 20;
const batchBytes = 4 << 20;

/** Applies a log's available bytes, up to a limit. True once its job has ended and its last byte is applied. */
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

/** Applies a whole file. Files with the same metrics may share `metricIds`. */
export async function drainFile(
  { pool, prisma, metricIds = makeMetricIds(pool) }: Pick<Database, "pool" | "prisma"> & Partial<Storage>,
  attemptId: number,
  path: string,
): Promise<void> {
  const storage = { pool, metricIds };
  let position = { attemptId, logOffset: 0, lastSeq: -1, numMetricLines: 0 };
  const file = await open(path);
  try {
    const readLog = (fromByte: number) => readAt(file, fromByte);
    // Each call applies a limited number of bytes, so a long file needs several calls.
    while (!(await drainLog(storage, position, { readLog, hasEnded: true }))) {
      const { logOffset, lastSeq, numMetricLines } = await prisma.attempt.findUniqueOrThrow({
        where: { id: attemptId },
      });
      if (Number(logOffset) === position.logOffset) throw new AppError("internal", `the log ${path} is not read on`);
      position = { attemptId, logOffset: Number(logOffset), lastSeq, numMetricLines };
    }
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number): Promise<Uint8Array> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(maxLineBytes), 0, maxLineBytes, position);
  return buffer.subarray(0, bytesRead);
}
