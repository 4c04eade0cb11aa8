import type { Pool } from "pg";
import { z } from "zod";
import type { BudgetLine } from "#server/domain/fleet/cost/budgetLine.ts";
import { weighBudgets } from "#server/domain/fleet/cost/budgets.ts";
import type { Budget } from "#server/domain/fleet/cost/budgetsFile.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { choices, isDependent } from "#server/domain/plan/sweep/dependence.ts";
import type { Measured } from "#server/domain/fleet/cost/account.ts";
import type { OpenWork, Use } from "#server/domain/fleet/cost/costs.ts";
import type { PlannedRun } from "#server/domain/plan/sweep/estimate/estimate.ts";
import { countedSql, iterationsSql, overSql } from "../storage/sql.ts";
import { choiceOfCellSql } from "../runs/choice.ts";
import { slotsOfAttempt } from "../runs/table/query.ts";
import { readRows } from "../storage/readRows.ts";

const firstLineAt = "to_timestamp((a.started->>'atMs')::float8 / 1000)";
const endedAt = "coalesce(a.ended_at, CASE WHEN a.live THEN now() END, r.ended_at)";
const msBetween = (from: string, to: string) =>
  `coalesce(greatest(0, extract(epoch FROM ${to} - ${from}) * 1000), 0)::float8`;
/** Excludes attempts of recorded studies, whose nodes may have the same names by chance. */
const isOurs = "s.origin = 'plan' AND a.job_state <> 'elsewhere'";

const StoredUse = z.object({
  runId: z.string(),
  sweepId: z.string(),
  sweepName: z.string(),
  method: z.string(),
  person: z.string().nullable(),
  node: z.string(),
  number: z.int(),
  slots: z.int(),
  pricePerSlotHour: z.number().nullable(),
  queuedMs: z.number(),
  heldMs: z.number(),
  firstIteration: z.int().nullable(),
  lastIteration: z.int().nullable(),
  collapsedAt: z.int().nullable(),
  isFailed: z.boolean(),
  choice: z.enum(choices),
});

/** Reads every attempt that began at or after `since`, with its node's current price from the configuration. */
export async function readUses(pool: Pool, since: Date): Promise<Use[]> {
  const rows = await readRows(pool, StoredUse, {
    sql: `SELECT a.run_id AS "runId", s.id AS "sweepId", s.name AS "sweepName", c.method, s.launched_by AS person, a.node, a.number,
        ${slotsOfAttempt} AS slots, (n.config->>'pricePerSlotHour')::float8 AS "pricePerSlotHour",
        ${msBetween("a.created_at", `coalesce(${firstLineAt}, ${endedAt})`)} AS "queuedMs",
        ${msBetween(firstLineAt, endedAt)} AS "heldMs",
        (a.started->>'firstIteration')::int AS "firstIteration",
        CASE WHEN a.num_metric_lines = 0 THEN NULL
          WHEN a.number = (SELECT max(number) FROM attempt WHERE run_id = r.id) THEN r.latest_iteration
          ELSE greatest((SELECT max(iteration) FROM metric_row WHERE attempt_id = a.id),
            (SELECT max(last_iteration) FROM metric_block WHERE attempt_id = a.id)) END AS "lastIteration",
        (d.hindsight->'label'->>'collapseStep')::int AS "collapsedAt", r.status = 'failed' AS "isFailed", coalesce(${choiceOfCellSql}, 'plan') AS choice
      FROM attempt a JOIN run r ON r.id = a.run_id JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = r.sweep_id
        LEFT JOIN node_sighting n ON n.name = a.node LEFT JOIN detection d ON d.run_id = r.id
      WHERE ${isOurs} AND a.created_at >= $1`,
    values: [since],
  });
  return rows.map(({ choice, ...use }) => ({ ...use, isDependent: isDependent({ choice }) }));
}

const StoredOpen = z.object({
  sweepId: z.string(),
  sweepName: z.string(),
  method: z.string(),
  person: z.string().nullable(),
  slots: z.int(),
  iterationsLeft: z.int(),
  iterationsPlanned: z.int(),
  spec: CellSpec,
  choice: z.enum(choices),
});

export async function readOpenWork(pool: Pool): Promise<OpenWork[]> {
  const planned = iterationsSql("c.spec");
  const rows = await readRows(pool, StoredOpen, {
    sql: `SELECT s.id AS "sweepId", s.name AS "sweepName", c.method, s.launched_by AS person, coalesce(s.gpus_per_run, s.slots_per_run) AS slots, c.spec,
        sum(greatest(0, ${planned} - r.latest_iteration))::int AS "iterationsLeft", ${planned} AS "iterationsPlanned",
        coalesce(${choiceOfCellSql}, 'plan') AS choice
      FROM run r JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = r.sweep_id
      WHERE s.origin = 'plan' AND s.intent <> 'cancel' AND r.intent <> 'cancel' AND NOT ${overSql("r")}
      GROUP BY s.id, c.id`,
  });
  return rows.map(({ choice, ...work }) => ({ ...work, isDependent: isDependent({ choice }) }));
}

/** Reads the runs of a sweep in launch order, with what an estimate of the time left needs. */
/** Time in ms within which iterations count as recent: a quarter of the sweep's time so far, as machines change speed. */
const recentSpan = `(SELECT ${msBetween("min(a.created_at)", "now()")} / 4 FROM attempt a JOIN run r ON r.id = a.run_id WHERE r.sweep_id = $1)`;

export async function readPlannedRuns(pool: Pool, sweepId: string): Promise<PlannedRun[]> {
  const Run = z.object({
    cellId: z.int(),
    seed: z.int(),
    start: z.string().nullable(),
    latestIteration: z.int(),
    state: z.enum(["waiting", "live", "over"]),
    wasLive: z.boolean(),
    numRecent: z.int(),
    recentMs: z.number(),
    wholeMs: z.number().nullable(),
  });
  const values = [sweepId];
  const [cells, runs] = await Promise.all([
    readRows(pool, z.object({ id: z.int(), spec: CellSpec }), {
      sql: "SELECT id, spec FROM cell WHERE sweep_id = $1",
      values,
    }),
    readRows(pool, Run, {
      sql: `SELECT r.cell_id AS "cellId", r.seed, c.start_hash || '-' || r.seed AS start, r.latest_iteration AS "latestIteration",
          CASE WHEN ${overSql("r")} THEN 'over' WHEN r.status = 'pending' THEN 'waiting' ELSE 'live' END AS state,
          EXISTS (SELECT FROM attempt a WHERE a.run_id = r.id AND a.created_at <= now() - interval '30 seconds'
            AND coalesce(a.ended_at > now() - interval '30 seconds', a.live)) AS "wasLive",
          recent.num AS "numRecent", recent.ms AS "recentMs", whole.ms AS "wholeMs"
        FROM run r JOIN cell c ON c.id = r.cell_id, (SELECT ${recentSpan} AS ms) AS span, LATERAL (
          SELECT coalesce(max(iteration) - min(iteration), 0) AS num, coalesce(max(at_ms) - min(at_ms), 0) AS ms FROM (
            SELECT m.iteration, m.at_ms, max(m.at_ms) OVER () AS last_ms
            FROM metric_row m JOIN attempt a ON a.id = m.attempt_id WHERE a.run_id = r.id AND a.live AND m.optimizer_step > 0
          ) AS line WHERE at_ms >= last_ms - span.ms
        ) AS recent LEFT JOIN LATERAL (
          SELECT ${msBetween(firstLineAt, endedAt)} AS ms FROM attempt a WHERE a.run_id = r.id AND r.status = 'finished'
            AND a.ended_at >= now() - span.ms * interval '1 ms' AND a.started IS NOT NULL AND NOT EXISTS (SELECT FROM attempt later WHERE later.run_id = r.id AND later.number > 1)
        ) AS whole ON true WHERE r.sweep_id = $1 AND ${countedSql("r")} ORDER BY r.seed, c.index`,
      values,
    }),
  ]);
  const specOf = new Map(cells.map(({ id, spec }) => [id, spec]));
  return runs.flatMap(({ cellId, ...run }) => {
    const spec = specOf.get(cellId);
    return spec ? [{ ...run, spec }] : [];
  });
}

const maxMeasured = 5000;

/** Reads durations of the latest finished runs, by cell. Repeated iterations of restarted runs would look slow. */
export async function readMeasured(pool: Pool): Promise<Measured[]> {
  return readRows(pool, z.object({ spec: CellSpec, seconds: z.array(z.number()) }), {
    sql: `SELECT c.spec, array_agg(took.seconds) AS seconds FROM (
        SELECT r.cell_id, ${msBetween(firstLineAt, endedAt)} / 1000 AS seconds
        FROM run r JOIN attempt a ON a.run_id = r.id AND a.number = 1 JOIN sweep s ON s.id = r.sweep_id
        WHERE r.status = 'finished' AND r.reason = 'completed' AND a.reason = 'completed' AND a.started IS NOT NULL AND ${isOurs}
          AND NOT EXISTS (SELECT FROM attempt later WHERE later.run_id = r.id AND later.number > 1)
        ORDER BY r.ended_at DESC LIMIT ${maxMeasured}
      ) AS took JOIN cell c ON c.id = took.cell_id GROUP BY c.id`,
  });
}

const dayMs = 86_400_000;

export async function readBudgetLines(pool: Pool, budgets: readonly Budget[]): Promise<BudgetLine[]> {
  const now = Date.now();
  const periods = [...new Set(budgets.map(({ days }) => days ?? null))];
  const uses = new Map(
    await Promise.all(
      periods.map(async (days) => {
        const since = new Date(days === null ? 0 : now - days * dayMs);
        return [days, await readUses(pool, since)] as const;
      }),
    ),
  );
  return weighBudgets(budgets, (days) => uses.get(days) ?? []);
}
