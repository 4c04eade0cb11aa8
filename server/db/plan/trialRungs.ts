import type { Pool, PoolClient } from "pg";
import { z } from "zod";
import type { Reached } from "#server/domain/plan/search/schedule.ts";
import type { SearchRound } from "#server/domain/plan/sweep/searchStep.ts";
import { overSql } from "../storage/sql.ts";
import { readRows } from "../storage/readRows.ts";

/** Changes that one search round makes to the rungs of trials (successive halving), and their consequences for runs. */
export type RungChanges = {
  reached: readonly (SearchRound["reached"][number] & { arm: number })[];
  verdicts: readonly (SearchRound["verdicts"][number] & { arm: number })[];
  /** Seeds on which cells are run next, because their trials were promoted. */
  added: readonly { cellId: number; seed: number }[];
  stopped: readonly { cellId: number; text: string }[];
};

const RungRow = z.object({
  arm: z.int(),
  number: z.int(),
  rung: z.int(),
  losses: z.array(z.number()),
  step: z.int(),
  verdict: z.enum(["promoted", "stopped", "letGoOn"]).nullable(),
  verdictStep: z.int().nullable(),
  known: z.array(z.int()).nullable(),
  reason: z.string().nullable(),
});

export type TrialRung = Reached & { arm: number; number: number };

/** Reads the trials' losses at each rung (successive halving), by configuration, trial and rung, lowest first. */
export async function readTrialRungs(pool: Pool, sweepId: string): Promise<TrialRung[]> {
  const rows = await readRows(pool, RungRow, {
    sql: `SELECT arm, number, rung, losses, step, verdict, verdict_step AS "verdictStep", known, reason
     FROM trial_rung WHERE sweep_id = $1 ORDER BY arm, number, rung`,
    values: [sweepId],
  });
  return rows.map(({ verdict: kind, verdictStep, known, reason, ...row }) => ({
    ...row,
    verdict: kind === null ? null : { kind, step: verdictStep ?? row.step, known: known ?? [], reason: reason ?? "" },
  }));
}

/** Stores changes to the rungs, in the transaction that writes the trials' outcomes. */
export async function writeRungs(client: PoolClient, sweepId: string, changes: RungChanges): Promise<void> {
  for (const { arm, number, rung, losses, step } of changes.reached) {
    await client.query(
      "INSERT INTO trial_rung (sweep_id, arm, number, rung, losses, step) VALUES ($1, $2, $3, $4, $5, $6)",
      [sweepId, arm, number, rung, losses, step],
    );
  }
  for (const { arm, number, rung, kind, known, reason, step } of changes.verdicts) {
    await client.query(
      `UPDATE trial_rung SET verdict = $5, known = $6, reason = $7, verdict_step = $8, decided_at = now()
       WHERE sweep_id = $1 AND arm = $2 AND number = $3 AND rung = $4 AND verdict IS NULL`,
      [sweepId, arm, number, rung, kind, known, reason, step],
    );
  }
  await client.query(
    `INSERT INTO run (id, sweep_id, cell_id, seed)
     SELECT $1 || '-c' || cell."index" || '-s' || earned.seed, $1, cell.id, earned.seed
     FROM unnest($2::int[], $3::int[]) AS earned(cell_id, seed) JOIN cell ON cell.id = earned.cell_id
     ON CONFLICT DO NOTHING`,
    [sweepId, changes.added.map(({ cellId }) => cellId), changes.added.map(({ seed }) => seed)],
  );
  for (const { cellId, text } of changes.stopped) await stopRuns(client, cellId, text);
}

/** Stops a cell's runs as the sweep's stopping rule does, unless another active trial uses this cell. */
async function stopRuns(client: PoolClient, cellId: number, text: string): Promise<void> {
  await client.query(
    `WITH stopped AS (
       UPDATE run SET intent = 'stop' WHERE cell_id = $1 AND intent = 'run' AND NOT ${overSql("run")}
         AND NOT EXISTS (SELECT FROM decision WHERE decision.cell_id = $1 AND outcome IS NULL)
       RETURNING id, status
     )
     INSERT INTO status_event (run_id, attempt, source, status, reason, text)
     SELECT id, (SELECT max(number) FROM attempt WHERE run_id = stopped.id), 'orchestrator', status, 'stopped_by_rule', $2
     FROM stopped`,
    [cellId, text],
  );
}

const CostRow = z.object({ cellId: z.int(), runs: z.int(), iterations: z.int(), slotMs: z.number() });

export async function readTrialCosts(pool: Pool, sweepId: string): Promise<z.infer<typeof CostRow>[]> {
  return readRows(pool, CostRow, {
    sql: `SELECT run.cell_id AS "cellId", count(*)::int AS runs, sum(run.latest_iteration)::int AS iterations,
       coalesce(sum((SELECT sum(extract(epoch FROM coalesce(ended_at, now()) - created_at)
         * greatest(1, cardinality(devices))) FROM attempt WHERE run_id = run.id)), 0)::float8 * 1000 AS "slotMs"
     FROM run WHERE run.sweep_id = $1 GROUP BY run.cell_id`,
    values: [sweepId],
  });
}
