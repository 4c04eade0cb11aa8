import type { Pool } from "pg";
import type { Hindsight } from "#packages/detector";
import {
  Stopping,
  type StoppedRun,
  type StoppingDecision,
  type StoppingRun,
} from "#server/domain/plan/stopping/stopping.ts";
import { DetectionColumns, readRows } from "../storage/readRows.ts";
import { announce } from "./planned.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { iterationsSql, overSql } from "../storage/sql.ts";
import { z } from "zod";

const WatchedRow = z.object({
  runId: z.string(),
  rule: Stopping,
  specHash: z.string(),
  seed: z.int(),
  changes: DetectionColumns.changes,
  iteration: z.int(),
});
export type WatchedRun = StoppingRun & { runId: string; rule: Stopping };

/** Reads the live runs of sweeps with a stopping rule that has not triggered in them yet; none while they are imported. */
export async function readWatchedRuns(pool: Pool): Promise<WatchedRun[]> {
  return readRows(pool, WatchedRow, {
    sql: `SELECT run.id AS "runId", sweep.plan->'stopping' AS rule, cell.spec_hash AS "specHash", run.seed,
       detection.changes, detection.iteration
     FROM run JOIN sweep ON sweep.id = run.sweep_id JOIN cell ON cell.id = run.cell_id
       JOIN detection ON detection.run_id = run.id
     WHERE sweep.plan ? 'stopping' AND sweep.origin = 'plan' AND run.intent = 'run' AND run.status IN ('starting', 'running', 'unknown')
       AND NOT EXISTS (SELECT FROM stop_decision WHERE run_id = run.id)`,
  });
}

/** Records, once, that the stopping rule triggered, with a line in the history. `stop` also stops the run. */
export async function applyStopping(pool: Pool, runId: string, decision: StoppingDecision): Promise<void> {
  const { stop, iteration, text } = decision;
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      "INSERT INTO stop_decision (run_id, stop, iteration, text) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
      [runId, stop, iteration, text],
    );
    if (rowCount !== 1) return false;
    if (stop) await client.query("UPDATE run SET intent = 'stop' WHERE id = $1 AND intent = 'run'", [runId]);
    await announce(client, { runId, reason: stop ? "stopped_by_rule" : null, text });
    return true;
  });
}

const StoppedRow = z.object({
  stopped: z.boolean(),
  iteration: z.int(),
  latestIteration: z.int(),
  budget: z.int(),
  isOver: z.boolean(),
  hindsight: DetectionColumns.hindsight,
  slotMs: z.number(),
});

/** Reads the runs of a sweep in which its stopping rule triggered, with the iterations and time that they used. */
export async function readStoppedRuns(pool: Pool, sweepId: string): Promise<StoppedRun[]> {
  const rows = await readRows(pool, StoppedRow, {
    sql: `SELECT d.stop AS stopped, d.iteration, run.latest_iteration AS "latestIteration",
       ${iterationsSql("cell.spec")} AS budget, ${overSql("run")} AS "isOver",
       detection.hindsight,
       (SELECT coalesce(sum(extract(epoch FROM coalesce(ended_at, now()) - created_at)
          * greatest(1, cardinality(devices))), 0)::float8 * 1000 FROM attempt WHERE run_id = run.id) AS "slotMs"
     FROM stop_decision d JOIN run ON run.id = d.run_id JOIN cell ON cell.id = run.cell_id
       LEFT JOIN detection ON detection.run_id = run.id
     WHERE run.sweep_id = $1 ORDER BY run.id`,
    values: [sweepId],
  });
  return rows.map(({ isOver, hindsight, ...row }) => ({
    ...row,
    collapsed: row.stopped || !isOver || hindsight === null ? null : hasCollapsed(hindsight),
  }));
}

/** True if a run collapsed without recovery: stopping a run that recovers would be an error. */
function hasCollapsed({ label }: Hindsight): boolean {
  return label.kind === "collapseTerminal" || label.kind === "nonFinite";
}
