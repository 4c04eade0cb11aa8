import type { Database } from "#server/db/storage/client.ts";
import { fromMetricValue, RunEvent } from "#trainer/spec/event.ts";

/**
 * Lists an attempt's stored measurements as "KEY ITERATION BYTES", sorted, from the raw tables, independently of the
 * studio's own readers. Values are compared by their bytes, so that NaN equals NaN.
 */
export async function listStoredPoints({ pool }: Pick<Database, "pool">, attemptId: number): Promise<string[]> {
  const { rows } = await pool.query<{ point: string }>(storedQuery, [attemptId]);
  return rows.map(({ point }) => point).sort();
}

/**
 * Lists the measurements in a log's text, one per item, as "KEY ITERATION BYTES", sorted. A killed trainer may leave an
 * empty log, or a last line without its line break; neither is a measurement.
 */
export function listLoggedPoints(log: string): string[] {
  return log.split("\n").slice(0, -1).flatMap(pointsOfLine).sort();
}

const storedQuery = `
  SELECT key || ' ' || iteration || ' ' || encode(bytes, 'hex') AS point FROM (
    SELECT metric_id, iteration, float8send(value) AS bytes
    FROM metric_row, unnest(metric_ids, values) AS u(metric_id, value) WHERE attempt_id = $1
    UNION ALL
    SELECT metric_id,
      CASE WHEN iterations IS NULL THEN first_iteration + i
        ELSE ('x' || encode(substr(iterations, i * 4 + 1, 4), 'hex'))::bit(32)::int END,
      substr(values, i * 8 + 1, 8)
    FROM metric_block, generate_series(0, num_points - 1) AS i WHERE attempt_id = $1
  ) AS stored JOIN metric_name ON metric_name.id = metric_id`;

function pointsOfLine(line: string): string[] {
  const event = RunEvent.parse(JSON.parse(line));
  if (event.type !== "metrics") return [];
  return Object.entries(event.values).map(([key, value]) => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(fromMetricValue(value));
    return `${key} ${event.iteration} ${bytes.toString("hex")}`;
  });
}
