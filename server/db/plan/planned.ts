import type { PoolClient } from "pg";
import { z } from "zod";
import { AppError } from "#packages/base";
import type { Cell, Expansion } from "#server/domain/plan/sweep/expand/expand.ts";
import type { PlannedDecision } from "#server/domain/plan/sweep/expand/searchTrials.ts";
import { startHash } from "#trainer/spec/start.ts";
import type { Database } from "../storage/client.ts";
import { readColumn } from "../storage/readRows.ts";

// Inserts a sweep's cells. Plans have up to 10,000 runs, so one statement writes all rows.

export async function insertCells(client: PoolClient, sweepId: string, cells: readonly Cell[]): Promise<void> {
  await client.query(
    `INSERT INTO cell (sweep_id, "index", method, label, spec, spec_hash, start_hash)
     SELECT $1, * FROM unnest($2::int[], $3::text[], $4::text[], $5::jsonb[], $6::text[], $7::text[])`,
    [
      sweepId,
      cells.map(({ index }) => index),
      cells.map(({ method }) => method),
      cells.map(({ label }) => label),
      cells.map(({ spec }) => JSON.stringify(spec)),
      cells.map(({ specHash }) => specHash),
      cells.map(({ spec }) => startHash(spec)),
    ],
  );
}

export async function insertRuns(client: PoolClient, sweepId: string, runs: Expansion["runs"]): Promise<void> {
  const { rowCount } = await client.query(
    `INSERT INTO run (id, sweep_id, cell_id, seed)
     SELECT $1 || '-c' || planned."index" || '-s' || planned.seed, $1, cell.id, planned.seed
     FROM unnest($2::int[], $3::int[]) AS planned("index", seed)
       JOIN cell ON cell.sweep_id = $1 AND cell."index" = planned."index"`,
    [sweepId, runs.map(({ cellIndex }) => cellIndex), runs.map(({ seed }) => seed)],
  );
  if (rowCount !== runs.length) throw new AppError("internal", "runs of cells that the expansion does not have");
}

/** Inserts decisions of a search. A trial without a cell has failed from the start: its settings were invalid. */
export async function insertDecisions(
  client: PoolClient,
  sweepId: string,
  decisions: readonly PlannedDecision[],
): Promise<void> {
  await client.query(
    `INSERT INTO decision (sweep_id, arm, number, step, known, running, point, reason, cell_id, outcome, outcome_step)
     SELECT $1, d.arm, d.number, d.step, d.known, d.running, d.point, d.reason, cell.id,
       CASE WHEN cell.id IS NULL THEN '{"kind": "lost"}'::jsonb END,
       CASE WHEN cell.id IS NULL THEN d.step END
     FROM jsonb_to_recordset($2::jsonb)
         AS d(arm int, number int, step int, known int[], running int[], point jsonb, reason text, "cellIndex" int)
       LEFT JOIN cell ON cell.sweep_id = $1 AND cell."index" = d."cellIndex"`,
    [sweepId, JSON.stringify(decisions)],
  );
}

/** Adds a line of the orchestrator to a run's history and notifies listeners. */
export async function announce(
  client: PoolClient,
  { runId, reason, text }: { runId: string; reason: string | null; text: string },
): Promise<void> {
  await client.query(
    `WITH event AS (
       INSERT INTO status_event (run_id, attempt, source, status, reason, text)
       SELECT id, (SELECT max(number) FROM attempt WHERE run_id = $1), 'orchestrator', status, $2, $3
       FROM run WHERE id = $1
     )
     SELECT pg_notify('arlarena', json_build_object('sweepId', sweep_id, 'runId', id, 'kind', 'status')::text)
     FROM run WHERE id = $1`,
    [runId, reason, text],
  );
}

/** Notifies the orchestrator and open pages that a sweep has changed, once the transaction commits. */
export async function notifySweep(client: PoolClient, sweepId: string): Promise<void> {
  await client.query("SELECT pg_notify('arlarena', json_build_object('sweepId', $1::text, 'kind', 'sweep')::text)", [
    sweepId,
  ]);
}

/** Lists the pretrained models that sweeps use, most recently used first. */
export async function readUsedModels({ pool }: Database): Promise<string[]> {
  return readColumn(pool, z.string(), {
    sql: `SELECT c.spec->'policy'->>'pretrained' AS name FROM cell c
      WHERE c.spec->'policy'->>'pretrained' IS NOT NULL GROUP BY 1 ORDER BY max(c.id) DESC LIMIT 100`,
  });
}
