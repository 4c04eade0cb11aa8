import { z } from "zod";
import { Elsewhere, StoredResult } from "#trainer/spec/elsewhere.ts";
import type { Pooled } from "../storage/client.ts";
import { readColumn, readRows } from "../storage/readRows.ts";

/** Evaluation of a finished run in another environment, requested after the run's training. */
const StoredEvaluation = z.object({
  id: z.int(),
  runId: z.string(),
  evaluation: Elsewhere,
  /** Iteration whose policy is evaluated; null: the last iteration. */
  iteration: z.int().nullable(),
  state: z.enum(["waiting", "running", "done", "failed", "cancelled"]),
  result: StoredResult.nullable(),
  problem: z.string().nullable(),
  /** Compute node of the evaluation's last job. */
  node: z.string().nullable(),
  startedAt: z.date().nullable(),
  /** Latest status message of the evaluation's job, or the reason why the job is repeated. */
  note: z.string().nullable(),
  askedBy: z.string().nullable(),
  askedAt: z.date(),
  /** Time at which a user requested the evaluation's cancellation. */
  cancelAt: z.date().nullable(),
  endedAt: z.date().nullable(),
});
export type StoredEvaluation = z.infer<typeof StoredEvaluation>;

const columns = `id, run_id AS "runId", evaluation, iteration, state, result, problem,
  node, started_at AS "startedAt", note, asked_by AS "askedBy",
  asked_at AS "askedAt", cancel_at AS "cancelAt", ended_at AS "endedAt"`;

export type AskedEvaluation = Pick<StoredEvaluation, "runId" | "evaluation" | "iteration">;

/** Requests evaluations and returns their ids, or that of an equal one that waits, runs or is done. */
export async function askEvaluations(
  { pool }: Pooled,
  asked: readonly AskedEvaluation[],
  by: string | null,
): Promise<number[]> {
  const ids: number[] = [];
  for (const { runId, evaluation, iteration } of asked) {
    const values = [runId, JSON.stringify(evaluation), iteration];
    const same =
      "run_id = $1 AND evaluation = $2::jsonb AND iteration IS NOT DISTINCT FROM $3::int AND state <> 'failed' AND (cancel_at IS NULL OR state = 'done')";
    const known = await readColumn(pool, z.int(), { sql: `SELECT id FROM stored_evaluation WHERE ${same}`, values });
    const made =
      known.length > 0
        ? known.slice(0, 1)
        : await readColumn(pool, z.int(), {
            sql: `INSERT INTO stored_evaluation (run_id, evaluation, iteration, asked_by) VALUES ($1, $2, $3, $4) RETURNING id`,
            values: [...values, by],
          });
    ids.push(...made);
  }
  return ids;
}

export async function readEvaluations(
  { pool }: Pooled,
  of: { runIds: readonly string[] } | { ids: readonly number[] },
): Promise<StoredEvaluation[]> {
  const [where, values] = "ids" in of ? ["id = ANY($1::int[])", [of.ids]] : ["run_id = ANY($1)", [of.runIds]];
  return readRows(pool, StoredEvaluation, {
    sql: `SELECT ${columns} FROM stored_evaluation WHERE ${where} ORDER BY id`,
    values,
  });
}

/** Evaluation that waits or has a job. `nodes`: compute nodes on which the run's attempts trained. */
const OpenEvaluation = z.object({
  ...StoredEvaluation.pick({ id: true, runId: true, evaluation: true, iteration: true, note: true, cancelAt: true })
    .shape,
  /** Last job of the evaluation, with the compute node and slots that it uses. */
  jobId: z.string().nullable(),
  node: z.string().nullable(),
  devices: z.array(z.string()),
  startedAtMs: z.number().nullable(),
  tries: z.int(),
  nodes: z.array(z.string()),
});
export type OpenEvaluation = z.infer<typeof OpenEvaluation>;

export async function readOpenEvaluations(
  { pool }: Pooled,
  state: "running" | "waiting",
  max: number | null = null,
): Promise<OpenEvaluation[]> {
  return readRows(pool, OpenEvaluation, {
    sql: `SELECT e.id, e.run_id AS "runId", evaluation, iteration, note, cancel_at AS "cancelAt", tries, job_id AS "jobId", node, devices,
     extract(epoch FROM started_at)::float8 * 1000 AS "startedAtMs",
     ARRAY(SELECT DISTINCT a.node FROM attempt a WHERE a.run_id = e.run_id) AS nodes
     FROM stored_evaluation e WHERE state = $1 ORDER BY e.id LIMIT $2`,
    values: [state, max],
  });
}

export async function noteEvaluation({ pool }: Pooled, jobId: string, note: string | null): Promise<void> {
  await pool.query("UPDATE stored_evaluation SET note = $2 WHERE job_id = $1 AND state = 'running'", [jobId, note]);
}

type Cancelled = { ids?: readonly number[]; runIds?: readonly string[]; sweepIds?: readonly string[] };

/** Cancels waiting evaluations and requests the end of running ones. Returns the number of both. */
export async function cancelEvaluations(
  { pool }: Pooled,
  { ids = [], runIds = [], sweepIds = [] }: Cancelled,
): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE stored_evaluation SET cancel_at = now(), state = CASE state WHEN 'waiting' THEN 'cancelled' ELSE state END,
       ended_at = CASE state WHEN 'waiting' THEN now() END
     WHERE state IN ('waiting', 'running') AND cancel_at IS NULL AND (id = ANY($1::int[]) OR run_id = ANY($2)
       OR run_id IN (SELECT id FROM run WHERE sweep_id = ANY($3)))`,
    [ids, runIds, sweepIds],
  );
  return rowCount ?? 0;
}

/** Makes an evaluation whose job ended without a result wait again, or ends it if it was cancelled. */
export async function repeatEvaluation({ pool }: Pooled, jobId: string, why: string): Promise<void> {
  await pool.query(
    `UPDATE stored_evaluation SET state = CASE WHEN cancel_at IS NULL THEN 'waiting' ELSE 'cancelled' END,
       note = CASE WHEN cancel_at IS NULL THEN $2 END, ended_at = CASE WHEN cancel_at IS NOT NULL THEN now() END
     WHERE job_id = $1 AND state = 'running'`,
    [jobId, why],
  );
}

export async function endEvaluation(
  { pool }: Pooled,
  jobId: string,
  outcome: { result: StoredResult } | { problem: string },
): Promise<void> {
  const values =
    "result" in outcome ? ["done", JSON.stringify(outcome.result), null] : ["failed", null, outcome.problem];
  await pool.query(
    `UPDATE stored_evaluation SET state = $2, result = $3, problem = $4, note = NULL, ended_at = now()
     WHERE job_id = $1 AND state = 'running'`,
    [jobId, ...values],
  );
}
