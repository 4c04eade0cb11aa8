import { z } from "zod";
import type { Pool } from "../storage/client.ts";
import { readRows } from "../storage/readRows.ts";
import { overSql } from "../storage/sql.ts";

/**
 * Tables whose rows belong to a sweep, and to a run. Their rows decide the answers about the sweep's runs. The
 * detector's events are many, and stored together with its state (`detection`).
 */
const ofSweep = ["cell", "decision", "imported_file", "run", "search_limit", "tracked_experiment_value", "trial_rung"];
const ofRun = [
  "action_trace",
  "attempt",
  "detection",
  "external_change",
  "metric_alias",
  "status_event",
  "stop_decision",
  "stored_evaluation",
  "tracked_value",
];

/** @testing */
export const stampedTables: readonly string[] = ["sweep", ...ofSweep, ...ofRun];

// A row version has its own place and transaction, so the sum changes with every insert, update and delete.
const stampSql = (table: string, condition: string) =>
  `SELECT '${table}' AS part, count(*) || '.' || coalesce(sum(hashtextextended(x.ctid::text || x.xmin::text, 0)), 0) AS stamp
   FROM ${table} AS x WHERE ${condition}`;

// Branches read the curves of their origin, and a run's answers count its branches: sweeps connected by them are read.
const sql = `WITH RECURSIVE related AS (
    SELECT id FROM sweep WHERE id = ANY($1)
    UNION
    SELECT other.sweep_id FROM related JOIN LATERAL (
      SELECT origin.sweep_id FROM cell c JOIN run origin ON origin.id = c.spec->'initialisation'->>'run'
      WHERE c.sweep_id = related.id AND c.spec->'initialisation' ? 'run'
      UNION
      SELECT c.sweep_id FROM run r JOIN cell c ON c.spec->'initialisation'->>'run' = r.id
      WHERE r.sweep_id = related.id AND c.spec->'initialisation' ? 'run'
    ) AS other ON true
  ), own AS MATERIALIZED (SELECT r.id, ${overSql("r")} AS is_over FROM run r JOIN related ON related.id = r.sweep_id)
  SELECT string_agg(part || ' ' || stamp, ' ' ORDER BY part) AS stamp, (SELECT coalesce(bool_and(is_over), false) FROM own) AS "isOver"
  FROM (
    ${[
      stampSql("sweep", "x.id IN (SELECT id FROM related)"),
      ...ofSweep.map((table) => stampSql(table, "x.sweep_id IN (SELECT id FROM related)")),
      ...ofRun.map((table) => stampSql(table, "x.run_id IN (SELECT id FROM own)")),
      "SELECT 'metric_name', count(*)::text FROM metric_name",
    ].join("\n    UNION ALL ")}
  ) AS parts`;

/**
 * Returns a text that changes with every stored fact about these sweeps' runs, and about runs connected to them by
 * branches. Undefined while a run is not over, because answers then change with time.
 */
export async function readDataStamp(pool: Pool, sweepIds: readonly string[]): Promise<string | undefined> {
  const Stamp = z.object({ stamp: z.string(), isOver: z.boolean() });
  const [row] = await readRows(pool, Stamp, { sql, values: [sweepIds] });
  return row?.isOver ? row.stamp : undefined;
}
