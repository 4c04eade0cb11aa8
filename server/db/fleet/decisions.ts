import type { PoolClient } from "pg";
import type { Aftermath } from "#server/domain/fleet/retry.ts";
import type { RunReason, RunStatus } from "#server/domain/runs/runStatus.ts";
import { freeSlots } from "#server/domain/fleet/nodes/slots.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import type { Pooled } from "../storage/client.ts";
import { readColumn, readRows, RunReasonColumn, RunStatusColumn } from "../storage/readRows.ts";
import { announce } from "../plan/planned.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { compactPoints } from "../runs/pointWrites.ts";
import { isHeldSql } from "./cancellations.ts";
import { overSql, providerSql } from "../storage/sql.ts";
import { z } from "zod";

/** Unfinished run with all facts on which the orchestrator's decisions about it depend. */
const OpenRun = z.object({
  runId: z.string(),
  sweepId: z.string(),
  status: RunStatusColumn,
  reason: RunReasonColumn,
  intent: z.enum(["run", "cancel", "stop"]),
  sweepIntent: z.enum(["run", "pause", "cancel"]),
  /** User who cancelled, as in the log of changes; null if the run is not cancelled. */
  cancelledBy: z.string().nullable(),
  maxAttempts: z.int(),
  numAttempts: z.int(),
  failures: z.record(z.string(), z.int()),
  demand: z.object({
    slots: z.int(),
    gpus: z.int().nullable(),
    labels: z.array(z.string()),
    avoid: z.array(z.string()),
    notBeforeMs: z.number(),
    provider: z.string(),
  }),
  /** True for a run of an external trainer. */
  isExternal: z.boolean(),
  /** Id of the run's initial policy, which other runs may share; null if creating it takes no time. */
  start: z.string().nullable(),
  isFirstSeed: z.boolean(),
  latestIteration: z.int(),
  maxSilenceMs: z.number().nullable(),
});
export type OpenRun = z.output<typeof OpenRun>;

/**
 * Reads unfinished runs in launch order: by sweep, then the first seed of every cell before the second. Sweeps are
 * ordered by launch time minus priority, so every run starts eventually. Waiting runs of paused sweeps are left out,
 * and without `isRoom` those that wait only for a slot. `steady`: runs that need no decision while they are stored as
 * running, past their first iteration and not cancelled.
 */
export async function readOpenRuns(
  { pool }: Pooled,
  { isRoom, steady = [] }: { isRoom: boolean; steady?: readonly string[] },
): Promise<OpenRun[]> {
  return readRows(pool, OpenRun, {
    sql: `WITH open AS (
       SELECT run.*, ${isHeldSql("run")} AS is_held,
         CASE WHEN ${isHeldSql("sweep")} THEN 'pause' ELSE sweep.intent END AS sweep_intent,
         coalesce(run.cancelled_by, CASE WHEN sweep.intent = 'cancel' THEN sweep.cancelled_by END) AS canceller, sweep.slots_per_run, sweep.gpus_per_run, sweep.labels,
         sweep.created_at - sweep.priority_minutes * interval '1 minute' AS turn
       FROM run JOIN sweep ON sweep.id = run.sweep_id
       WHERE NOT ${overSql("run")} AND sweep.origin = 'plan'
         AND NOT (run.id = ANY($2) AND run.status = 'running' AND run.reason IS NULL
           AND run.intent = 'run' AND sweep.intent <> 'cancel' AND run.latest_iteration > 0)
         AND ($1 OR run.status <> 'pending' OR run.intent <> 'run' OR sweep.intent = 'cancel'
           OR EXISTS (SELECT FROM attempt WHERE run_id = run.id))
     ), tried AS (
       SELECT run_id, sum(n)::int AS num, json_object_agg(reason, n) FILTER (WHERE reason IS NOT NULL) AS failures
       FROM (
         SELECT run_id, reason, count(*)::int AS n FROM attempt WHERE run_id IN (SELECT id FROM open)
         GROUP BY run_id, reason
       ) AS by_reason
       GROUP BY run_id
     )
     SELECT open.id AS "runId", open.sweep_id AS "sweepId", open.status, open.reason,
       CASE WHEN open.is_held THEN coalesce(open.intent_before, 'run') ELSE open.intent END AS intent,
       open.sweep_intent AS "sweepIntent", open.canceller AS "cancelledBy",
       open.max_attempts AS "maxAttempts", coalesce(tried.num, 0) AS "numAttempts",
       coalesce(tried.failures, '{}') AS failures,
       json_build_object('slots', open.slots_per_run,
         'gpus', CASE WHEN cell.spec ? 'trainer' THEN open.gpus_per_run END, 'labels', open.labels, 'avoid', open.avoid_nodes,
         'provider', ${providerSql("cell")}, 'notBeforeMs', coalesce(extract(epoch FROM greatest(open.not_before, CASE WHEN open.is_held THEN open.cancel_at END))::float8 * 1000, 0)) AS demand,
       cell.spec ? 'trainer' AS "isExternal", cell.start_hash || CASE WHEN cell.spec->'initialisation' ? 'run' THEN '' ELSE '-' || open.seed END AS start,
       NOT EXISTS (SELECT FROM run AS lower WHERE lower.cell_id = open.cell_id AND lower.seed < open.seed) AS "isFirstSeed", open.latest_iteration AS "latestIteration",
       (cell.spec->'execution'->>'maxSilenceMinutes')::float8 * 60000 AS "maxSilenceMs"
     FROM open JOIN cell ON cell.id = open.cell_id LEFT JOIN tried ON tried.run_id = open.id
     WHERE ($1 AND open.sweep_intent = 'run') OR open.status <> 'pending' OR open.intent <> 'run' OR open.sweep_intent = 'cancel'
       OR tried.num >= open.max_attempts
     ORDER BY open.turn, open.sweep_id, open.seed, cell.index`,
    values: [isRoom, steady],
  });
}

/** Reads a run's specification and the machines to avoid, or the problem with one of an earlier studio version. */
export async function readRunSpec(
  { pool }: Pooled,
  runId: string,
): Promise<{ spec: RunSpec; avoid: string[] } | { problem: string }> {
  const Row = z.object({ spec: z.looseObject({}), seed: z.number(), avoid: z.array(z.string()) });
  const [row] = await readRows(pool, Row, {
    sql: "SELECT cell.spec, run.seed, run.avoid_nodes AS avoid FROM run JOIN cell ON cell.id = run.cell_id WHERE run.id = $1",
    values: [runId],
  });
  const { success, data, error } = RunSpec.safeParse({ ...row?.spec, v: 1, seed: row?.seed });
  if (success) return { spec: data, avoid: row?.avoid ?? [] };
  return { problem: error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ") };
}

type Lease = {
  jobId: string;
  node: string;
  /** `devices`: slots of the compute node that the attempt reserves. `slots`: all slots of the node. */
  devices: readonly string[];
  slots: readonly string[];
};
export type NewAttempt = Lease & { runId: string; number: number; folder: string };

/** Records an attempt with its slots before its job is submitted; undefined if the run or a slot is no longer free. */
export async function startAttempt({ pool }: Pooled, attempt: NewAttempt): Promise<{ attemptId: number } | undefined> {
  const { runId, number, jobId, node, folder, devices } = attempt;
  return await inTransaction(pool, async (client) => {
    if (!(await isFree(client, attempt))) return undefined;
    const { rowCount } = await client.query(
      `UPDATE run SET status = 'starting', reason = NULL, started_at = coalesce(started_at, now())
       WHERE id = $1 AND status = 'pending' AND intent = 'run'
         AND NOT EXISTS (SELECT FROM attempt WHERE run_id = $1 AND (live OR number >= $2))`,
      [runId, number],
    );
    if (rowCount !== 1) return undefined;
    const rows = await readRows(client, z.object({ attemptId: z.number() }), {
      sql: `INSERT INTO attempt (run_id, number, job_id, node, folder, devices) VALUES ($1, $2, $3, $4, $5, $6)
       RETURNING id AS "attemptId"`,
      values: [runId, number, jobId, node, folder, devices],
    });
    await announce(client, { runId, reason: null, text: `attempt ${number} goes to ${node}` });
    return rows[0];
  });
}

/** Records a waiting evaluation's job with its slots before it is submitted; false if either is no longer free. */
export async function startEvaluation({ pool }: Pooled, evaluation: Lease & { id: number }): Promise<boolean> {
  const { id, jobId, node, devices } = evaluation;
  return await inTransaction(pool, async (client) => {
    if (!(await isFree(client, evaluation))) return false;
    const { rowCount } = await client.query(
      `UPDATE stored_evaluation SET state = 'running', job_id = $2, node = $3, devices = $4, started_at = now(),
         tries = tries + 1, note = NULL WHERE id = $1 AND state = 'waiting'`,
      [id, jobId, node, devices],
    );
    return rowCount === 1;
  });
}

// Locks the node until the transaction ends. The database decides: a suspended orchestrator may resume with old data.
async function isFree(client: PoolClient, { node, devices, slots }: Lease): Promise<boolean> {
  await client.query("SELECT pg_advisory_xact_lock(4127002, hashtext($1))", [node]);
  const taken = await readColumn(client, z.array(z.string()), {
    sql: `SELECT devices FROM attempt WHERE live AND node = $1
     UNION ALL SELECT devices FROM stored_evaluation WHERE state = 'running' AND node = $1`,
    values: [node],
  });
  const free = freeSlots(slots, taken.flat());
  return devices.every((device) => free.includes(device));
}

export type Decision = { runId: string; status: RunStatus; reason: RunReason | null; text: string };

export async function setRunStatus({ pool }: Pooled, decision: Decision): Promise<void> {
  const { runId, status, reason } = decision;
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE run SET status = $2, reason = $3 WHERE id = $1 AND NOT ${overSql("run")}
         AND (status, reason) IS DISTINCT FROM ($2, $3)`,
      [runId, status, reason],
    );
    if (rowCount !== 1) return false;
    await announce(client, decision);
    return true;
  });
}

/** Maximum number of runs that one transaction ends, so that open pages can read meanwhile. */
const maxEnded = 2000;

/**
 * Ends runs without a live attempt, thousands in one statement: a cancelled sweep may have 40,000 waiting runs. Pages
 * are notified once per sweep.
 */
export async function endIdleRuns({ pool }: Pooled, decisions: readonly Decision[]): Promise<void> {
  for (let from = 0; from < decisions.length; from += maxEnded) {
    const some = decisions.slice(from, from + maxEnded);
    await pool.query(
      `WITH decided AS (
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS d(run_id, status, reason, text)
       ), ended AS (
         UPDATE run SET status = decided.status, reason = decided.reason, ended_at = now(), not_before = NULL
         FROM decided WHERE run.id = decided.run_id AND NOT ${overSql("run")}
           AND NOT EXISTS (SELECT FROM attempt WHERE attempt.run_id = run.id AND live)
         RETURNING run.id, run.sweep_id, decided.status, decided.reason, decided.text
       ), events AS (
         INSERT INTO status_event (run_id, attempt, source, status, reason, text)
         SELECT id, (SELECT max(number) FROM attempt WHERE run_id = ended.id), 'orchestrator', status, reason, text FROM ended
       )
       SELECT pg_notify('arlarena', json_strip_nulls(json_build_object('sweepId', sweep_id,
         'runId', CASE WHEN count(*) = 1 THEN min(id) END, 'kind', 'status'))::text)
       FROM ended GROUP BY sweep_id`,
      [
        some.map(({ runId }) => runId),
        some.map(({ status }) => status),
        some.map(({ reason }) => reason),
        some.map(({ text }) => text),
      ],
    );
  }
}

/** Ends an attempt. Its run waits again, with a new limit of attempts, or ends. */
export async function endAttempt(
  { pool }: Pooled,
  decision: Decision & { attemptId: number; maxAttempts: number | null; aftermath: Aftermath | null },
): Promise<void> {
  const { runId, attemptId, status, reason, maxAttempts, aftermath } = decision;
  const again = aftermath?.next === "retry" ? aftermath : undefined;
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE run SET status = $2, reason = $3, max_attempts = coalesce($4, max_attempts),
         ended_at = CASE WHEN $2 = 'pending' THEN NULL ELSE now() END,
         not_before = now() + $5::float8 * interval '1 millisecond',
         avoid_nodes = CASE WHEN $6::text IS NULL OR $6 = ANY(avoid_nodes) THEN avoid_nodes ELSE avoid_nodes || $6 END
       WHERE id = $1 AND NOT ${overSql("run")}`,
      [runId, status, reason, maxAttempts, again?.waitMs ?? null, again?.avoid ?? null],
    );
    if (rowCount !== 1) return false;
    await announce(client, decision);
    await client.query("UPDATE attempt SET live = false, ended_at = now(), reason = $2, aftermath = $3 WHERE id = $1", [
      attemptId,
      reason,
      aftermath && JSON.stringify(aftermath),
    ]);
    await compactPoints(client, attemptId, { isOver: true });
    return true;
  });
}

export async function remark({ pool }: Pooled, runId: string, text: string): Promise<void> {
  await inTransaction(pool, (client) => announce(client, { runId, reason: null, text }));
}
