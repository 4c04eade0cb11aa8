import { z } from "zod";
import { Elsewhere, StoredResult } from "#trainer/spec/elsewhere.ts";
import type { Database } from "../storage/client.ts";
import { readRows } from "../storage/readRows.ts";

type Pool = Pick<Database, "pool">;

/** An evaluation of a finished run in another environment, asked for after its training. */
const StoredEvaluation = z.object({
  id: z.int(),
  runId: z.string(),
  evaluation: Elsewhere,
  /** Null: the last iteration. */
  iteration: z.int().nullable(),
  state: z.enum(["waiting", "running", "done", "failed"]),
  result: StoredResult.nullable(),
  problem: z.string().nullable(),
  askedBy: z.string().nullable(),
  askedAt: z.date(),
  endedAt: z.date().nullable(),
});
export type StoredEvaluation = z.infer<typeof StoredEvaluation>;

const columns = `id, run_id AS "runId", evaluation, iteration, state, result, problem, asked_by AS "askedBy",
  asked_at AS "askedAt", ended_at AS "endedAt"`;

export type AskedEvaluation = Pick<StoredEvaluation, "runId" | "evaluation" | "iteration">;

/** Returns the ids. An equal evaluation that waits, runs or is done is not repeated. */
export async function askEvaluations(
  { pool }: Pool,
  asked: readonly AskedEvaluation[],
  by: string | null,
): Promise<number[]> {
  const ids: number[] = [];
  for (const { runId, evaluation, iteration } of asked) {
    const values = [runId, JSON.stringify(evaluation), iteration];
    const same =
      "run_id = $1 AND evaluation = $2::jsonb AND iteration IS NOT DISTINCT FROM $3::int AND state <> 'failed'";
    const [known] = await readRows(pool, z.object({ id: z.int() }), {
      sql: `SELECT id FROM stored_evaluation WHERE ${same}`,
      values,
    });
    const [made] = known
      ? [known]
      : await readRows(pool, z.object({ id: z.int() }), {
          sql: `INSERT INTO stored_evaluation (run_id, evaluation, iteration, asked_by) VALUES ($1, $2, $3, $4) RETURNING id`,
          values: [...values, by],
        });
    if (made) ids.push(made.id);
  }
  return ids;
}

/** Evaluations of some runs, or with some ids, in the order in which they were asked for. */
export async function readEvaluations(
  { pool }: Pool,
  of: { runIds: readonly string[] } | { ids: readonly number[] },
): Promise<StoredEvaluation[]> {
  const [where, values] = "ids" in of ? ["id = ANY($1::int[])", [of.ids]] : ["run_id = ANY($1)", [of.runIds]];
  return readRows(pool, StoredEvaluation, {
    sql: `SELECT ${columns} FROM stored_evaluation WHERE ${where} ORDER BY id`,
    values,
  });
}

/** Takes the evaluation that has waited longest; undefined where none waits. */
export async function takeEvaluation({ pool }: Pool): Promise<StoredEvaluation | undefined> {
  const [taken] = await readRows(pool, StoredEvaluation, {
    sql: `UPDATE stored_evaluation SET state = 'running' WHERE id = (
       SELECT id FROM stored_evaluation WHERE state = 'waiting' ORDER BY id LIMIT 1) RETURNING ${columns}`,
  });
  return taken;
}

/** Puts back evaluations that a process ended before it had a result. */
export async function putBackEvaluations({ pool }: Pool): Promise<void> {
  await pool.query("UPDATE stored_evaluation SET state = 'waiting' WHERE state = 'running'");
}

export async function endEvaluation(
  { pool }: Pool,
  id: number,
  outcome: { result: StoredResult } | { problem: string },
): Promise<void> {
  const values =
    "result" in outcome ? ["done", JSON.stringify(outcome.result), null] : ["failed", null, outcome.problem];
  await pool.query(
    "UPDATE stored_evaluation SET state = $2, result = $3, problem = $4, ended_at = now() WHERE id = $1 AND state = 'running'",
    [id, ...values],
  );
}
