import type { Pool } from "pg";
import { readMetricKeys } from "../runs/pointWrites.ts";
import { readRows } from "../storage/readRows.ts";
import { z } from "zod";

/** Stored point. `atMs`: NaN if an old studio version, which stored no times, compacted it. */
export type StoredMetric = { attemptId: number; key: string; iteration: number; value: number; atMs: number };

const Columns = z.object({
  attemptId: z.number(),
  key: z.string(),
  first: z.number(),
  num: z.number(),
  iterations: z.instanceof(Buffer).nullable(),
  values: z.instanceof(Buffer),
  times: z.instanceof(Buffer).nullable(),
});
type Columns = z.infer<typeof Columns>;
const NewestColumns = Columns.omit({ key: true }).extend({ metricId: z.number() });

// One statement reads uncompacted points as blocks of one, so that no point is missed during compaction.
const hotColumns = `attempt_id, u.id AS metric_id, seq, iteration AS first, 1 AS num, NULL::bytea AS iterations,
  float8send(u.value) AS values, float8send(at_ms) AS times
  FROM metric_row, unnest(metric_ids, values) AS u(id, value)`;
const columns = `attempt_id AS "attemptId", key, first, num, iterations, "values", times`;

export async function readPointsOf(pool: Pool, attemptId: number, key: string): Promise<StoredMetric[]> {
  const rows = await readRows(pool, Columns, {
    sql: `WITH name AS (SELECT id FROM metric_name WHERE key = $2), point AS (
       SELECT attempt_id, metric_id, first_seq AS seq, first_iteration AS first, num_points AS num, iterations, "values", times
       FROM metric_block WHERE attempt_id = $1 AND metric_id = (SELECT id FROM name)
       UNION ALL SELECT ${hotColumns} WHERE attempt_id = $1 AND u.id = (SELECT id FROM name)
     )
     SELECT ${columns} FROM point, name CROSS JOIN (SELECT $2::text AS key) AS given ORDER BY seq`,
    values: [attemptId, key],
  });
  return rows.flatMap(unpack);
}

/** Reads points among which is the latest of each metric: the blocks with its highest iteration, and its newest row. */
export async function readNewestPoints(pool: Pool, attemptIds: readonly number[]): Promise<StoredMetric[]> {
  const rows = await readRows(pool, NewestColumns, {
    sql: `WITH block AS (
       SELECT *, max(last_iteration) OVER (PARTITION BY attempt_id, metric_id) AS newest
       FROM metric_block WHERE attempt_id = ANY($1)
     ), hot AS (
       SELECT attempt_id, u.id AS metric_id, max(ARRAY[iteration, at_ms, u.value]) AS newest
       FROM metric_row, unnest(metric_ids, values) AS u(id, value) WHERE attempt_id = ANY($1) GROUP BY attempt_id, u.id
     )
     SELECT attempt_id AS "attemptId", metric_id AS "metricId", first_iteration AS first, num_points AS num, iterations, values, times
     FROM block WHERE last_iteration = newest
     UNION ALL SELECT attempt_id, metric_id, newest[1]::int, 1, NULL, float8send(newest[3]), float8send(newest[2]) FROM hot`,
    values: [attemptIds],
  });
  const keyOf = await readMetricKeys(
    pool,
    rows.map(({ metricId }) => metricId),
  );
  return rows.flatMap(({ metricId, ...row }) => unpack({ ...row, key: keyOf.get(metricId) ?? "" }));
}

function unpack({ attemptId, key, first, num, iterations, values, times }: Columns): StoredMetric[] {
  return Array.from({ length: num }, (_, i) => ({
    attemptId,
    key,
    iteration: iterations === null ? first + i : iterations.readInt32BE(4 * i),
    value: values.readDoubleBE(8 * i),
    atMs: times === null ? NaN : times.readDoubleBE(8 * i),
  }));
}
