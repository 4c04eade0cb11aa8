import { z } from "zod";
import { AppError } from "#packages/base";
import { makeExplainQueued } from "#server/domain/fleet/queue/makeExplainQueued.ts";
import type { Database, Pooled } from "../storage/client.ts";
import { overSql, providerSql } from "../storage/sql.ts";
import { readRows } from "../storage/readRows.ts";
import { readNodes } from "./nodes.ts";

const StoredRow = z.object({
  sweepId: z.string(),
  sweepName: z.string(),
  intent: z.string(),
  priorityMinutes: z.number(),
  slotsPerRun: z.number(),
  /** Number of GPUs that a run uses on one machine, if its trainer states it. */
  gpusPerRun: z.number().nullable(),
  labels: z.array(z.string()),
  /** Execution providers of ONNX Runtime (such as CUDA) that the sweep's waiting runs require. */
  providers: z.array(z.string()),
  createdAt: z.date(),
  numPending: z.number(),
  numLive: z.number(),
  /** `numEvaluating`: running evaluations of the sweep's finished runs. `numToEvaluate`: those that wait for a slot. */
  numEvaluating: z.number(),
  numToEvaluate: z.number(),
});
export type QueueRow = z.infer<typeof StoredRow> & {
  /** Reason why no configured node can run the sweep's runs; null if one can, or if no node is known. */
  problem: string | null;
};

export async function readQueue(database: Database): Promise<QueueRow[]> {
  const [rows, nodes] = await Promise.all([readRows(database.pool, StoredRow, queueSql), readNodes(database)]);
  const explain = makeExplainQueued(nodes);
  return rows.map((row) => ({ ...row, problem: explain(row) }));
}

const queueSql = {
  sql: `WITH evaluating AS (
       SELECT r.sweep_id, count(*) FILTER (WHERE e.state = 'running')::int AS live, count(*) FILTER (WHERE e.state = 'waiting')::int AS waiting
       FROM stored_evaluation e JOIN run r ON r.id = e.run_id WHERE e.state IN ('running', 'waiting') GROUP BY r.sweep_id
     ), listed AS (SELECT sweep_id FROM evaluating UNION SELECT sweep_id FROM run r WHERE NOT ${overSql("r")})
     SELECT s.id AS "sweepId", s.name AS "sweepName", s.intent, s.priority_minutes AS "priorityMinutes",
       s.slots_per_run AS "slotsPerRun", s.gpus_per_run AS "gpusPerRun", s.labels, s.created_at AS "createdAt",
       coalesce(array_agg(DISTINCT ${providerSql("c")}) FILTER (WHERE r.status = 'pending'), '{}') AS providers,
       count(*) FILTER (WHERE r.status = 'pending')::int AS "numPending",
       count(*) FILTER (WHERE r.status <> 'pending')::int AS "numLive",
       coalesce(max(e.live), 0) AS "numEvaluating", coalesce(max(e.waiting), 0) AS "numToEvaluate"
     FROM listed JOIN sweep s ON s.id = listed.sweep_id LEFT JOIN evaluating e ON e.sweep_id = s.id
     LEFT JOIN run r ON r.sweep_id = s.id AND NOT ${overSql("r")} LEFT JOIN cell c ON c.id = r.cell_id
     WHERE s.origin = 'plan'
     GROUP BY s.id ORDER BY s.created_at - s.priority_minutes * interval '1 minute', s.id`,
};

/** Moves a sweep to the front, or queues it as if launched `priority` minutes earlier. Returns the stored minutes. */
export async function setPriority({ pool }: Pooled, sweepId: string, priority: number | "front"): Promise<number> {
  const rows = await readRows(pool, z.object({ minutes: z.number() }), {
    sql: `WITH first AS (
       SELECT min(s.created_at - s.priority_minutes * interval '1 minute') AS turn FROM sweep s
       WHERE s.id <> $1 AND EXISTS (
         SELECT FROM run r WHERE r.sweep_id = s.id AND NOT ${overSql("r")})
     ), changed AS (
       UPDATE sweep SET priority_minutes = coalesce($2::int,
         greatest(0, 1 + ceil(extract(epoch FROM created_at - (SELECT turn FROM first)) / 60)::int))
       WHERE id = $1 RETURNING priority_minutes AS minutes
     )
     SELECT minutes, pg_notify('arlarena', json_build_object('sweepId', $1::text, 'kind', 'sweep')::text) FROM changed`,
    values: [sweepId, priority === "front" ? null : priority],
  });
  const [row] = rows;
  if (row === undefined) throw new AppError("not_found", `there is no sweep ${sweepId}`);
  return row.minutes;
}
