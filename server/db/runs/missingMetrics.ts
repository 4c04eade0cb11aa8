import type { Pool, PoolClient } from "pg";
import { z } from "zod";
import { readRows } from "../storage/readRows.ts";
import { countedSql } from "../storage/sql.ts";

const MissingMetric = z.object({
  sweepId: z.string(),
  sweepName: z.string(),
  tags: z.array(z.string()),
  /** Message of the adapter that read the run's log: the named metric, and the step at which it was due. */
  text: z.string(),
  numRuns: z.int(),
});
export type MissingMetric = z.infer<typeof MissingMetric>;

/**
 * Reads the metrics that plans name and that their runs did not log, by sweep and message. A run whose later attempt
 * has evaluated again is counted by that attempt alone.
 */
export async function readMissingMetrics(
  client: Pool | PoolClient,
  chosen: { sweepIds: readonly string[] } | { within: string },
): Promise<MissingMetric[]> {
  const [condition, value] =
    "within" in chosen ? ["e.at > now() - $1::interval", chosen.within] : ["r.sweep_id = ANY($1)", chosen.sweepIds];
  return readRows(client, MissingMetric, {
    sql: `SELECT s.id AS "sweepId", s.name AS "sweepName", s.tags, e.text, count(DISTINCT r.id)::int AS "numRuns"
      FROM status_event e JOIN run r ON r.id = e.run_id JOIN sweep s ON s.id = r.sweep_id
      WHERE e.source = 'trainer' AND e.reason = 'missingMetric' AND ${countedSql("r")} AND ${condition}
        AND NOT EXISTS (SELECT FROM attempt later WHERE later.run_id = r.id AND later.number > e.attempt AND later.num_metric_lines > 0)
      GROUP BY s.id, e.text ORDER BY s.id, min(e.id)`,
    values: [value],
  });
}
