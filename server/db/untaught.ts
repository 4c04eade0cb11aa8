import type { Pool } from "pg";
import { heldOutSuccess, trainingSuccess } from "#server/domain/stability/signals/point.ts";
import { knowsNothing } from "#server/domain/stability/verdict/remarks.ts";
import { countedSql } from "./countedSql.ts";
import { detectorVersion } from "#server/domain/stability/config.ts";
import { readRows } from "./readRows.ts";
import { z } from "zod";

const success = [...heldOutSuccess, ...trainingSuccess].join("|");
/** Places of a detector's memory where success since the start would show: the last values, the peak, the newest point. */
const succeeded = [
  "$.before.trackers.*.state.values[*] ? (@ > 0)",
  "$.before.trackers.*.state.peak ? (@ > 0)",
  `$.newest.values.keyvalue() ? (@.key like_regex "^(${success})$") .value ? (@ > 0)`,
];

/** By sweep, how many of its runs succeeded at nothing before training and have not succeeded since. None: no entry. */
export async function countUntaught(pool: Pool, sweepIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  // Only of runs with that remark, which are few, is the memory read.
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
