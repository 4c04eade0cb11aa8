import type { Database } from "#server/db/client.ts";
import { applyLogUpdate } from "#server/db/logs.ts";
import type { MetricIds } from "#server/db/pointWrites.ts";
import { parseLines } from "./parseLines.ts";
import { toLogUpdate } from "./toLogUpdate.ts";

/** Where an attempt's log stands in storage. */
export type LogPosition = { attemptId: number; logOffset: number; lastSeq: number; numMetricLines: number };

export type Storage = { pool: Database["pool"]; metricIds: MetricIds };

/**
 * Applies the bytes that follow the position; returns the new one, or undefined when another reader was there first.
 * With `isFinal`, these bytes are the log's end and a torn last line is set aside.
 */
export async function applyLog(
  { pool, metricIds }: Storage,
  position: LogPosition,
  { bytes, isFinal }: { bytes: Uint8Array; isFinal: boolean },
): Promise<LogPosition | undefined> {
  const { attemptId, logOffset } = position;
  const update = toLogUpdate(parseLines(bytes, { offset: logOffset, isFinal }), position);
  if (update.nextOffset === logOffset) return position;
  if (!(await applyLogUpdate(pool, { attemptId, update, metricIds }))) return undefined;
  const numMetricLines = position.numMetricLines + update.points.length;
  return { attemptId, logOffset: update.nextOffset, lastSeq: update.lastSeq, numMetricLines };
}
