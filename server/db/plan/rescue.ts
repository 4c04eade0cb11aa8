import { z } from "zod";
import type { Pool } from "pg";
import { kindsOf } from "#packages/detector";
import { RescueRule } from "#server/domain/plan/rescue/rescueRule.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { readColumn, readRows } from "../storage/readRows.ts";
import { actsSql, countedSql, overSql } from "../storage/sql.ts";

const FallenRun = z.object({
  runId: z.string(),
  sweepId: z.string(),
  alarm: z.int(),
  rule: RescueRule,
  priorityMinutes: z.int(),
  launchedBy: z.string().nullable(),
});
export type FallenRun = z.infer<typeof FallenRun>;

/** Value of `source` for the entry in a run's history that records the decision about its rescue. */
const source = "rescue";

/**
 * Reads ended runs that collapsed by their sweep's rescue rule, and whose rescue is undecided. Imported sweeps have none,
 * except `resting`, whose rule a person may let act.
 */
export function readFallenRuns(pool: Pool, resting: string | null = null): Promise<FallenRun[]> {
  return readRows(pool, FallenRun, {
    sql: `SELECT r.id AS "runId", s.id AS "sweepId", d.alarm_at AS alarm, s.plan->'rescue' AS rule,
       s.priority_minutes AS "priorityMinutes", s.launched_by AS "launchedBy"
     FROM sweep s JOIN run r ON r.sweep_id = s.id JOIN detection d ON d.run_id = r.id
     WHERE s.plan ? 'rescue' AND ($3::text IS NULL OR s.id = $3) AND ${actsSql("s", "s.id = $3")} AND ${overSql("r")} AND ${countedSql("r")}
       AND d.alarm IN ('unstable', 'collapsed') AND d.alarm_at IS NOT NULL
       AND (s.plan->'rescue'->>'on' = 'unstable' OR d.hindsight->'label'->>'kind' = ANY($2))
       AND NOT EXISTS (SELECT FROM status_event e WHERE e.run_id = r.id AND e.source = $1)
     ORDER BY r.id`,
    values: [source, collapsedKinds, resting],
  });
}

const collapsedKinds = kindsOf(/^collapsed/);

/** Counts the branches of a sweep's runs. Runs that start with the policy of such a run are no branches. */
export async function countBranches(pool: Pool, sweepId: string): Promise<number> {
  const [numBranches = 0] = await readColumn(pool, z.coerce.number(), {
    sql: `SELECT count(*) AS n FROM cell c JOIN run b ON b.cell_id = c.id
     WHERE c.spec->'initialisation' ? 'run' AND c.spec->'initialisation'->>'kind' = 'branch'
       AND c.spec->'initialisation'->>'run' IN (SELECT id FROM run WHERE sweep_id = $1)`,
    values: [sweepId],
  });
  return numBranches;
}

export async function findPlanNames(pool: Pool, names: readonly string[]): Promise<Set<string>> {
  const sql = `SELECT plan->>'name' AS name FROM sweep WHERE plan->>'name' = ANY($1)`;
  return new Set(await readColumn(pool, z.string(), { sql, values: [names] }));
}

/** Decides at most once, under a lock: a suspended orchestrator may resume beside its successor. */
export async function decideRescue(pool: Pool, runId: string, decide: () => Promise<string>): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query("SELECT pg_advisory_xact_lock(4127005, hashtext($1))", [runId]);
    const { rowCount } = await client.query("SELECT FROM status_event WHERE run_id = $1 AND source = $2", [
      runId,
      source,
    ]);
    if (rowCount !== 0) return;
    await client.query(
      `WITH event AS (
         INSERT INTO status_event (run_id, source, status, text) SELECT id, $2, status, $3 FROM run WHERE id = $1
       )
       SELECT pg_notify('arlarena', json_build_object('sweepId', sweep_id, 'runId', id, 'kind', 'status')::text)
       FROM run WHERE id = $1`,
      [runId, source, await decide()],
    );
  });
}
