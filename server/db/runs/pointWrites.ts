import type { Pool, PoolClient } from "pg";
import { readColumn, readRows } from "../storage/readRows.ts";
import { z } from "zod";

export type PointLine = {
  attemptId: number;
  seq: number;
  iteration: number;
  optimizerStep: number;
  atMs: number;
  metricIds: readonly number[];
  values: readonly number[];
};

/** Function that returns the ids of metric keys. An id is created when its key is first used, and then cached. */
export type MetricIds = (keys: Iterable<string>) => Promise<ReadonlyMap<string, number>>;

// Ids are created outside any transaction, because the cache must not contain an id that was rolled back.
export function makeMetricIds(pool: Pool): MetricIds {
  const known = new Map<string, number>();
  return async (keys) => {
    const fresh = [...new Set(keys)].filter((key) => !known.has(key));
    if (fresh.length === 0) return known;
    // Keys are sorted, so that two concurrent writers cannot deadlock.
    await pool.query("INSERT INTO metric_name (key) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING", [fresh.sort()]);
    const rows = await readRows(pool, z.object({ id: z.number(), key: z.string() }), {
      sql: "SELECT id, key FROM metric_name WHERE key = ANY($1)",
      values: [fresh],
    });
    for (const { id, key } of rows) known.set(key, id);
    return known;
  };
}

/** Reads metric keys by id. A separate query is cheaper: a join with many points would repeat each name. */
export async function readMetricKeys(
  client: Pool | PoolClient,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, string>> {
  const rows = await readRows(client, z.object({ id: z.number(), key: z.string() }), {
    sql: "SELECT id, key FROM metric_name WHERE id = ANY($1)",
    values: [[...new Set(ids)]],
  });
  return new Map(rows.map(({ id, key }) => [id, key]));
}

export async function appendPoints(client: PoolClient, lines: readonly PointLine[]): Promise<void> {
  if (lines.length === 0) return;
  // Arrays of different lengths are sent as PostgreSQL's text, because unnest does not support them.
  await client.query(
    `INSERT INTO metric_row (attempt_id, seq, iteration, optimizer_step, at_ms, metric_ids, values)
     SELECT attempt_id, seq, iteration, optimizer_step, at_ms, metric_ids::int[], points::float8[]
     FROM unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::float8[], $6::text[], $7::text[])
       AS line(attempt_id, seq, iteration, optimizer_step, at_ms, metric_ids, points)`,
    [
      lines.map(({ attemptId }) => attemptId),
      lines.map(({ seq }) => seq),
      lines.map(({ iteration }) => iteration),
      lines.map(({ optimizerStep }) => optimizerStep),
      lines.map(({ atMs }) => atMs),
      lines.map(({ metricIds }) => `{${metricIds.join(",")}}`),
      lines.map(({ values }) => `{${values.join(",")}}`),
    ],
  );
}

/** Maximum points per block with consecutive, and with other iterations: a row below 2 kB stays in its page. */
export const consecutivePoints = 240;
export const sparsePoints = 160;
/** Points per stored block if times are stored too, as for runs reported over the tracking protocol. */
export const timedPoints = 96;

/**
 * Moves an attempt's points into blocks and returns the number of moved rows. A running attempt is compacted in whole
 * blocks only: its newest points stay single rows, so that reading them is cheap. One statement does all, so no reader
 * sees a point twice or not at all.
 */
export async function compactPoints(
  client: Pool | PoolClient,
  attemptId: number,
  { isOver }: { isOver: boolean },
): Promise<number> {
  // No subquery joins another: statistics lack the number of points, so each point would be compared with each metric.
  const [numRows = 0] = await readColumn(client, z.number(), {
    sql: `WITH kept AS (
       SELECT node = 'tracking' AS has_times FROM attempt WHERE id = $1
     ), hot AS (
       DELETE FROM metric_row WHERE attempt_id = $1 AND seq < CASE WHEN $2 THEN 2147483648 ELSE (
         SELECT seq FROM metric_row WHERE attempt_id = $1 ORDER BY seq OFFSET
           (SELECT greatest(count(*) / ${consecutivePoints} - 1, 0) * ${consecutivePoints}
            FROM metric_row WHERE attempt_id = $1) LIMIT 1) END
       RETURNING seq, iteration, at_ms, metric_ids, values
     ), point AS (
       SELECT u.id, seq, iteration, at_ms, value, row_number() OVER w AS n, iteration - row_number() OVER w AS shift
       FROM hot, unnest(metric_ids, values) AS u(id, value) WINDOW w AS (PARTITION BY u.id ORDER BY seq)
     ), sized AS (
       SELECT point.*, CASE WHEN (SELECT has_times FROM kept) THEN ${timedPoints}
         WHEN min(shift) OVER metric = max(shift) OVER metric THEN ${consecutivePoints} ELSE ${sparsePoints} END AS size
       FROM point WINDOW metric AS (PARTITION BY id)
     ), block AS (
       INSERT INTO metric_block
         (attempt_id, metric_id, first_seq, last_seq, first_iteration, last_iteration, num_points, iterations, values, times)
       SELECT $1, id, min(seq), max(seq), min(iteration), max(iteration), count(*),
         CASE WHEN min(shift) < max(shift) THEN string_agg(int4send(iteration), '' ORDER BY seq) END,
         string_agg(float8send(value), '' ORDER BY seq),
         CASE WHEN (SELECT has_times FROM kept) THEN string_agg(float8send(at_ms), '' ORDER BY seq) END
       FROM sized GROUP BY id, (n - 1) / size ORDER BY id, min(seq)
     )
     SELECT count(*)::int AS "numRows" FROM hot`,
    values: [attemptId, isOver],
  });
  return numRows;
}
