import type { Pool, PoolClient } from "pg";
import { z } from "zod";
import type { Cell } from "#server/domain/plan/sweep/expand/expand.ts";
import { Outcome } from "#server/domain/plan/search/trial.ts";
import { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { type SearchUse, sumUse } from "#server/domain/plan/search/searchPlan.ts";
import type { PlannedDecision } from "#server/domain/plan/sweep/expand/searchTrials.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { actsSql, iterationsSql, overSql } from "../storage/sql.ts";
import { insertCells, insertDecisions, insertRuns, notifySweep } from "./planned.ts";
import { readRows } from "../storage/readRows.ts";
import { insertLimits, type SearchLimit } from "./searchLimits.ts";
import { type RungChanges, readTrialCosts, writeRungs } from "./trialRungs.ts";

/** Decision to try a configuration. `cellId`: cell that tests it; null if the settings were invalid. */
export type SearchDecision = z.infer<typeof DecisionRow>;
const DecisionRow = z.object({
  arm: z.int(),
  number: z.int(),
  known: z.array(z.int()),
  running: z.array(z.int()),
  point: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
  reason: z.string(),
  cellId: z.int().nullable(),
  specHash: z.string().nullable(),
  outcome: Outcome.nullable(),
  step: z.int(),
  /** Step at which the outcome became known; null before, and in searches without early stopping. */
  outcomeStep: z.int().nullable(),
});

/** Reads every decision of a sweep's hyperparameter search, ordered by searched configuration and number. */
export async function readDecisions(pool: Pool, sweepId: string): Promise<SearchDecision[]> {
  return readRows(pool, DecisionRow, {
    sql: `SELECT d.arm, d.number, d.known, d.running, d.point, d.reason, d.cell_id AS "cellId",
       cell.spec_hash AS "specHash", d.outcome, d.step,
       d.outcome_step AS "outcomeStep"
     FROM decision d LEFT JOIN cell ON cell.id = d.cell_id
     WHERE d.sweep_id = $1 ORDER BY d.arm, d.number`,
    values: [sweepId],
  });
}

export async function readSearchUse(pool: Pool, sweepId: string): Promise<SearchUse> {
  return sumUse(await readTrialCosts(pool, sweepId));
}

export async function hasSearch(pool: Pool, sweepId: string): Promise<boolean> {
  const { rowCount } = await pool.query("SELECT FROM sweep WHERE id = $1 AND plan ? 'search'", [sweepId]);
  return rowCount === 1;
}

const isOpen = `EXISTS (SELECT FROM run WHERE run.cell_id = decision.cell_id AND NOT ${overSql("run")})`;

/** True if the orchestrator advances the search: an imported one only after a person has set its number of trials here. */
const isSearchingSql = actsSql(
  "sweep",
  `EXISTS (SELECT FROM search_limit l WHERE l.sweep_id = sweep.id AND l.space IS NULL AND l.created_at > sweep.imported_at)`,
);

/** Reads the searches with work to do: a finished trial has no outcome yet, or another trial may start. */
export async function readOpenSearches(pool: Pool): Promise<{ id: string; plan: SweepPlan }[]> {
  return readRows(pool, z.object({ id: z.string(), plan: SweepPlan }), {
    sql: `SELECT id, plan FROM sweep
     WHERE plan ? 'search' AND ${isSearchingSql} AND EXISTS (
       SELECT FROM (
         SELECT count(*) AS decided, count(*) FILTER (WHERE outcome IS NULL AND ${isOpen}) AS running,
           count(*) FILTER (WHERE outcome IS NULL AND NOT ${isOpen}) AS unjudged,
           coalesce((SELECT trials FROM search_limit l WHERE l.sweep_id = sweep.id AND l.arm = decision.arm
             ORDER BY step DESC LIMIT 1), (plan->'search'->>'trials')::int) AS most
         FROM decision WHERE sweep_id = sweep.id GROUP BY arm
       ) AS arm
       WHERE unjudged > 0 OR (running < (plan->'search'->>'parallel')::int AND decided < most)
       -- In a search with rungs, a rung may be reached while all of them still run.
       OR (running > 0 AND plan->'search' ?| array['halving', 'racing'])
     ) ORDER BY created_at, id`,
  });
}

const EndedRow = z.object({
  runId: z.string(),
  cellId: z.int(),
  status: z.string(),
  reason: z.string().nullable(),
  iteration: z.int(),
  budget: z.int(),
});

/** Reads finished trials' runs without a stored outcome. `iteration`: that of the collapse if a rule ended the run. */
export async function readEndedTrials(pool: Pool, sweepId: string): Promise<z.infer<typeof EndedRow>[]> {
  return readRows(pool, EndedRow, {
    sql: `SELECT run.id AS "runId", run.cell_id AS "cellId", run.status, run.reason,
       coalesce(stop.iteration, run.latest_iteration) AS iteration, ${iterationsSql("cell.spec")} AS budget
     FROM run JOIN cell ON cell.id = run.cell_id LEFT JOIN stop_decision stop ON stop.run_id = run.id AND stop.stop
     WHERE run.cell_id IN (
       SELECT cell_id FROM decision WHERE sweep_id = $1 AND outcome IS NULL AND NOT ${isOpen}
     ) ORDER BY run.seed`,
    values: [sweepId],
  });
}

const RungRunRow = EndedRow.extend({ seed: z.int(), isOver: z.boolean(), hasCollapsed: z.boolean() });

/** Reads the runs, finished or not, of all trials whose outcome is not stored yet. */
export async function readRungRuns(pool: Pool, sweepId: string): Promise<z.infer<typeof RungRunRow>[]> {
  return readRows(pool, RungRunRow, {
    sql: `SELECT run.id AS "runId", run.cell_id AS "cellId", run.status, run.reason, run.seed, ${overSql("run")} AS "isOver",
       stop.run_id IS NOT NULL OR coalesce(run.reason, '') = 'diverged' AS "hasCollapsed",
       coalesce(stop.iteration, run.latest_iteration) AS iteration, ${iterationsSql("cell.spec")} AS budget
     FROM run JOIN cell ON cell.id = run.cell_id LEFT JOIN stop_decision stop ON stop.run_id = run.id AND stop.stop
     WHERE run.cell_id IN (SELECT cell_id FROM decision WHERE sweep_id = $1 AND outcome IS NULL)
     ORDER BY run.cell_id, run.seed`,
    values: [sweepId],
  });
}

export type SearchStep = {
  outcomes: readonly { arm: number; number: number; outcome: Outcome; step?: number }[];
  /** New trials, each with its cell; null if the settings are invalid. A cell that exists is not added again. */
  decisions: readonly (Omit<PlannedDecision, "cellIndex"> & { cell: Omit<Cell, "index"> | null })[];
  seeds: readonly number[];
  limits: readonly SearchLimit[];
  rungs?: RungChanges;
};

/**
 * Writes the changes of a search step atomically: outcomes, decisions, cells and runs. If two processes write the
 * same decisions, the unique key makes the second fail. A paused or cancelled sweep stays unchanged.
 */
export async function applySearchStep(pool: Pool, sweepId: string, step: SearchStep): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(`SELECT FROM sweep WHERE id = $1 AND ${isSearchingSql} FOR UPDATE`, [
      sweepId,
    ]);
    if (rowCount !== 1) return false;
    for (const { arm, number, outcome, step: outcomeStep = null } of step.outcomes) {
      await client.query(
        `UPDATE decision SET outcome = $4, outcome_step = $5
         WHERE sweep_id = $1 AND arm = $2 AND number = $3 AND outcome IS NULL`,
        [sweepId, arm, number, JSON.stringify(outcome), outcomeStep],
      );
    }
    await insertTrials(client, sweepId, step);
    if (step.rungs) await writeRungs(client, sweepId, step.rungs);
    await insertLimits(client, sweepId, step.limits);
    await notifySweep(client, sweepId);
    return true;
  });
}

export async function insertTrials(
  client: PoolClient,
  sweepId: string,
  { decisions, seeds }: Pick<SearchStep, "decisions" | "seeds">,
): Promise<void> {
  const { rows } = await client.query<{ index: number; specHash: string }>(
    `SELECT "index", spec_hash AS "specHash" FROM cell WHERE sweep_id = $1`,
    [sweepId],
  );
  const indexOf = new Map(rows.map(({ index, specHash }) => [specHash, index]));
  let next = Math.max(-1, ...indexOf.values()) + 1;
  const cells: Cell[] = [];
  const planned = decisions.map(({ cell, ...decision }) => {
    if (cell === null) return { ...decision, cellIndex: null };
    const cellIndex = indexOf.get(cell.specHash) ?? next++;
    if (!indexOf.has(cell.specHash)) cells.push({ ...cell, index: cellIndex });
    indexOf.set(cell.specHash, cellIndex);
    return { ...decision, cellIndex };
  });
  await insertCells(client, sweepId, cells);
  await insertRuns(
    client,
    sweepId,
    seeds.flatMap((seed) => cells.map(({ index }) => ({ cellIndex: index, seed }))),
  );
  await insertDecisions(client, sweepId, planned);
}
