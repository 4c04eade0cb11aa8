import { heldOutSuccess, trainingSuccess } from "#trainer/spec/metric.ts";
import type { Pool } from "pg";
import { knowsNothing, detectorVersion } from "#packages/detector";
import { countedSql } from "../storage/sql.ts";
import { readRows } from "../storage/readRows.ts";
import { z } from "zod";

const success = [...heldOutSuccess, ...trainingSuccess].join("|");
/** JSON paths in the stored memory that match if the run ever had a success: last values, peak, newest point. */
const succeeded = [
  "$.before.trackers.*.state.values[*] ? (@ > 0)",
  "$.before.trackers.*.state.peak ? (@ > 0)",
  `$.newest.values.keyvalue() ? (@.key like_regex "^(${success})$") .value ? (@ > 0)`,
];

/** Counts, per sweep, the runs without any success before or during training. Sweeps without such runs are left out. */
export async function countUntaught(pool: Pool, sweepIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  // Only runs with a detector event `knowsNothing` can be without success, so only their detector states are read.
  const rows = await readRows(pool, z.object({ sweepId: z.string(), n: z.number() }), {
    sql: `WITH labelled AS MATERIALIZED (
       SELECT r.id, r.sweep_id FROM run r JOIN collapse_event e ON e.run_id = r.id
       WHERE r.sweep_id = ANY($1) AND ${countedSql("r")} AND e.detector_version = $2 AND e.message = $3
     )
     SELECT labelled.sweep_id AS "sweepId", count(*)::int AS n FROM labelled JOIN detection d ON d.run_id = labelled.id
     WHERE ${succeeded.map((path) => `NOT d.memory @? '${path}'`).join(" AND ")} GROUP BY 1`,
    values: [sweepIds, detectorVersion, knowsNothing.message],
  });
  return new Map(rows.map(({ sweepId, n }) => [sweepId, n]));
}
