import type { Pool } from "pg";
import { readRows } from "../storage/readRows.ts";
import { z } from "zod";

/**
 * Number of points of these runs and metrics, earlier attempts included, as `readSeries` would read. Exact above
 * `enough`; below it, lines may be counted as if each contained every metric.
 */
export async function countPoints(
  pool: Pool,
  { runIds, keys }: { runIds: readonly string[]; keys: readonly string[] },
  enough: number,
): Promise<number> {
  const lines = await readRows(pool, z.object({ num: z.number() }), {
    sql: "SELECT coalesce(sum(num_metric_lines), 0)::float8 AS num FROM attempt WHERE run_id = ANY($1)",
    values: [runIds],
  });
  const most = (lines[0]?.num ?? 0) * keys.length;
  if (most <= enough) return most;
  const metrics = await readRows(pool, z.object({ id: z.number() }), {
    sql: "SELECT id FROM metric_name WHERE key = ANY($1)",
    values: [keys],
  });
  const rows = await readRows(pool, z.object({ num: z.number() }), {
    sql: `WITH a AS (SELECT id FROM attempt WHERE run_id = ANY($1))
     SELECT (
       SELECT coalesce(sum(num_points), 0) FROM metric_block
       WHERE attempt_id IN (SELECT id FROM a) AND metric_id = ANY($2)
     )::float8 + (
       SELECT count(*) FROM metric_row, unnest(metric_ids) AS u(id)
       WHERE attempt_id IN (SELECT id FROM a) AND u.id = ANY($2)
     )::float8 AS num`,
    values: [runIds, metrics.map(({ id }) => id)],
  });
  return rows[0]?.num ?? 0;
}
