import { z } from "zod";
import { describeMetric } from "#trainer/spec/metric.ts";
import { readCurve } from "#server/domain/runs/table/reading.ts";
import type { Pool } from "../storage/client.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { groupBy } from "#packages/base";
import { hashCurves } from "./hashCurves.ts";
import { makeMetricIds } from "./pointWrites.ts";
import { readKeys, readSeries } from "./points.ts";
import { readColumn, readRows } from "../storage/readRows.ts";

/** Version of `readCurve` and `hashCurves`: when a result changes, incrementing this recomputes all summaries. */
const definition = 3;

/** SQL for a text that changes with a run's log: its attempts with their last lines. Null without measurements. */
const loggedSql = `(SELECT '${definition} ' || string_agg(id || '.' || last_seq, '_' ORDER BY number)
  FROM attempt WHERE run_id = r.id AND num_metric_lines > 0)`;

const Stale = z.object({ id: z.string(), logged: z.string(), isOver: z.boolean() });

/** Recomputes outdated summaries, finished runs first. Stored log states reveal outdated ones after any crash. */
export async function summariseRuns(pool: Pool, limit: number): Promise<"over" | "live" | false> {
  const stale = await readRows(pool, Stale, {
    sql: `SELECT id, logged, ended_at IS NOT NULL AS "isOver" FROM (SELECT r.id, r.ended_at, r.summarised_to, ${loggedSql} AS logged FROM run r) AS run
     WHERE logged IS NOT NULL AND logged IS DISTINCT FROM summarised_to ORDER BY ended_at IS NULL, random() LIMIT $1`,
    values: [limit],
  });
  if (stale.length > 0) await storeSummaries(pool, stale);
  if (stale.length < limit) return false;
  return stale.every(({ isOver }) => isOver) ? "over" : "live";
}

export async function countUnsummarised(pool: Pool, sweepIds: readonly string[] | null = null): Promise<number> {
  const [numStale = 0] = await readColumn(pool, z.number(), {
    sql: `SELECT count(*)::int AS n FROM (SELECT r.summarised_to, ${loggedSql} AS logged FROM run r
       WHERE $1::text[] IS NULL OR r.sweep_id = ANY($1)) AS run
     WHERE logged IS NOT NULL AND logged IS DISTINCT FROM summarised_to`,
    values: [sweepIds],
  });
  return numStale;
}

/** Reads the mean of one metric over each run's final window of iterations, by run id. */
export async function readFinals(pool: Pool, sweepIds: readonly string[], key: string): Promise<Map<string, number>> {
  const rows = await readRows(pool, z.object({ runId: z.string(), final: z.number() }), {
    sql: `SELECT s.run_id AS "runId", s.final FROM metric_summary s JOIN run r ON r.id = s.run_id
       JOIN metric_name m ON m.id = s.metric_id
     WHERE r.sweep_id = ANY($1) AND m.key = $2 AND s.final IS NOT NULL`,
    values: [sweepIds, key],
  });
  return new Map(rows.map(({ runId, final }) => [runId, final]));
}

/** Reads the names of all metrics that a run has ever logged. */
export async function readMetricNames(pool: Pool): Promise<string[]> {
  return await readColumn(pool, z.string(), { sql: "SELECT key FROM metric_name ORDER BY 1", values: [] });
}

/** Reads each run's largest value of metrics without a direction; from its points where the summary is outdated. */
export async function readLargest(pool: Pool, runIds: readonly string[], keys: readonly string[]) {
  const Largest = z.object({ runId: z.string(), key: z.string(), value: z.number() });
  const stored = await readRows(pool, Largest, {
    sql: `SELECT r.id AS "runId", m.key, s.best AS value FROM run r JOIN metric_summary s ON s.run_id = r.id
       JOIN metric_name m ON m.id = s.metric_id
     WHERE r.id = ANY($1) AND m.key = ANY($2) AND s.best IS NOT NULL AND r.summarised_to = ${loggedSql}`,
    values: [runIds, keys],
  });
  const stale = await readColumn(pool, z.string(), {
    sql: `SELECT r.id FROM run r WHERE r.id = ANY($1) AND r.summarised_to IS DISTINCT FROM ${loggedSql}`,
    values: [runIds],
  });
  const series = stale.length === 0 ? [] : await readSeries(pool, { runIds: stale, keys });
  const read = series.map(({ runId, key, ...curve }) => {
    return { runId, key, value: readCurve(curve, { better: "none" }).best };
  });
  return groupBy([...stored, ...read], ({ key }) => key);
}

async function storeSummaries(pool: Pool, stale: readonly z.output<typeof Stale>[]): Promise<void> {
  const runIds = stale.map(({ id }) => id);
  const keys = await readKeys(pool, runIds);
  const ids = await makeMetricIds(pool)(keys);
  const series = await readSeries(pool, { runIds, keys });
  const seriesOf = groupBy(series, ({ runId }) => runId);
  const summaries = series.map(({ runId, key, ...curve }) => {
    const { final, best, last } = readCurve(curve, describeMetric(key));
    return { runId, metricId: ids.get(key), values: [final.value, best, last].map(finiteOrNull) };
  });
  await inTransaction(pool, async (client) => {
    const sql = "SELECT id FROM run WHERE id = ANY($1) ORDER BY id FOR UPDATE";
    const existing = new Set(await readColumn(client, z.string(), { sql, values: [runIds] }));
    const kept = summaries.filter(({ runId }) => existing.has(runId));
    await client.query("DELETE FROM metric_summary WHERE run_id = ANY($1)", [runIds]);
    await client.query(
      `INSERT INTO metric_summary (metric_id, run_id, final, best, last)
       SELECT * FROM unnest($1::int[], $2::text[], $3::float8[], $4::float8[], $5::float8[])`,
      [
        kept.map(({ metricId }) => metricId),
        kept.map(({ runId }) => runId),
        ...[0, 1, 2].map((i) => kept.map(({ values }) => values[i])),
      ],
    );
    // The log state was read before the points, so lines that arrived meanwhile make the summary outdated again.
    await client.query(
      `UPDATE run SET summarised_to = new.logged, curves = new.curves
       FROM unnest($1::text[], $2::text[], $3::text[]) AS new(id, logged, curves) WHERE run.id = new.id`,
      [runIds, stale.map(({ logged }) => logged), runIds.map((id) => hashCurves(seriesOf.get(id) ?? []))],
    );
  });
}

// PostgreSQL would sort NaN above all numbers, so NaN is stored as null.
function finiteOrNull(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}
