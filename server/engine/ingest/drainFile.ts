import { open, type FileHandle } from "node:fs/promises";
import type { Database } from "#server/db/storage/client.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { AppError } from "#packages/base";
import { drainLog } from "./drainLog.ts";
import { maxLineBytes } from "./parseLines.ts";

/** Applies the whole log of a finished attempt. */
export async function drainFile(database: Database, attemptId: number, path: string): Promise<void> {
  const storage = { pool: database.pool, metricIds: makeMetricIds(database.pool) };
  let position = { attemptId, logOffset: 0, lastSeq: -1, numMetricLines: 0 };
  const file = await open(path);
  try {
    const readLog = (fromByte: number) => readAt(file, fromByte);
    // A drain is bounded, so a long file takes several.
    while (!(await drainLog(storage, position, { readLog, hasEnded: true }))) {
      const { logOffset, lastSeq, numMetricLines } = await database.prisma.attempt.findUniqueOrThrow({
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
