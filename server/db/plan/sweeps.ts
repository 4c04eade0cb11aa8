import { randomInt } from "node:crypto";
import { AppError, formatCount } from "#packages/base";
import { parseRunStatus, type RunStatus } from "#server/domain/runs/runStatus.ts";
import type { Expansion } from "#server/domain/plan/sweep/expand/expand.ts";
import type { BranchedFrom } from "#server/domain/plan/sweep/readableName.ts";
import { wordOfKind } from "#packages/detector";
import { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { isTakenBack } from "#server/domain/plan/sweep/estimate/calibration.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import type { Database } from "../storage/client.ts";
import { countedSql, iterationsSql, overSql } from "../storage/sql.ts";
import type { Prisma } from "../generated/client.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import type { Notification } from "../storage/notifications.ts";
import { insertCells, insertDecisions, insertRuns, notifySweep } from "./planned.ts";
import { readColumn, readRows } from "../storage/readRows.ts";
import { environmentSql, shownSql } from "./cells.ts";
import { z } from "zod";

export type SweepIntent = "run" | "pause" | "cancel";

/**
 * Origin of a sweep's runs: the studio's orchestrator, imported files, or an external trainer that reports over a
 * tracking protocol.
 */
export type SweepOrigin = "plan" | "import" | "tracking";

export type SweepSummary = {
  id: string;
  name: string;
  description: string;
  intent: SweepIntent;
  /** User who cancelled, as in the log of changes, and the end of the period in which this can be undone. */
  cancelledBy: string | null;
  cancelAt: Date | null;
  origin: SweepOrigin;
  /** Time of the import from a file, after which the plan's rules rest; null for sweeps launched here or let act. */
  importedAt: Date | null;
  createdAt: Date;
  tags: readonly string[];
  isFavourite: boolean;
  isArchived: boolean;
  /** Methods in the order of the cells: a method's index determines its colour. */
  methods: readonly string[];
  environments: readonly string[];
  numCells: number;
  numRuns: number;
  counts: Record<RunStatus, number>;
  /** Number of distinct runs with a hindsight label, and of those labelled as collapsed and as unclear. */
  numJudged: number;
  numCollapsed: number;
  numUnclear: number;
  /** Nodes with full disks on which runs of the sweep wait; absent without such nodes. */
  fullDisks?: readonly string[];
  /** `iterationsLeft`: what unfinished runs still have to train; null if one of them has no known budget. */
  iterationsDone: number;
  iterationsLeft: number | null;
  /** Sum in ms, over all attempts, of the time from launch to end (or until now). */
  busyMs: number;
  startedAt: Date | null;
  endedAt: Date | null;
  /** Run from which the sweep's branches begin; absent for other sweeps. */
  branchedFrom?: BranchedFrom | undefined;
};

export async function listSweeps({ pool }: Database): Promise<SweepSummary[]> {
  const rows = await readRows(pool, SummaryRow, { sql: summarySql("") });
  return rows.map(toSummary);
}

export type PlannedSweep = SweepSummary & { plan: SweepPlan | null };

export async function readSweep({ pool }: Database, id: string): Promise<PlannedSweep> {
  const WithPlan = SummaryRow.extend({ plan: z.unknown() });
  const [row] = await readRows(pool, WithPlan, { sql: summarySql("WHERE s.id = $1"), values: [id] });
  if (!row) throw noSweep(id);
  return { ...toSummary(row), plan: row.origin === "plan" ? SweepPlan.parse(row.plan) : null };
}

const Origin = z.object({ id: z.string(), name: z.string(), description: z.string(), planHash: z.string() });
export type Origin = z.infer<typeof Origin>;

/** Reads name, description and plan hash of some sweeps, oldest first, as the sources of a table's data. */
export async function readOrigins({ pool }: Database, ids: readonly string[]): Promise<Origin[]> {
  return readRows(pool, Origin, {
    sql: `SELECT id, name, description, plan_hash AS "planHash" FROM sweep WHERE id = ANY($1) ORDER BY created_at, id`,
    values: [ids],
  });
}

/** Returns those of the sweeps that have a plan: other trainers' logs and runs that were sent have none. */
export async function readPlanned({ pool }: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const planned = await readColumn(pool, z.string(), {
    sql: `SELECT id FROM sweep WHERE id = ANY($1) AND origin = 'plan'`,
    values: [ids],
  });
  return new Set(planned);
}

export async function readSearchedPlans({ pool }: Database, ids: readonly string[]): Promise<SweepPlan[]> {
  return readColumn(pool, SweepPlan, {
    sql: `SELECT plan FROM sweep WHERE id = ANY($1) AND jsonb_path_exists(plan, '$.environments[*].search')
          ORDER BY array_position($1::text[], id)`,
    values: [ids],
  });
}

type Launched = {
  plan: SweepPlan;
  expansion: Pick<Expansion, "cells" | "runs" | "decisions" | "gpusPerRun">;
  launchedBy?: string | undefined;
  /** Minutes by which the sweep queues as if it had been launched earlier. */
  priorityMinutes?: number;
};

/** Stores a launched plan: creates sweep, cells, runs and first search decisions atomically. Returns the sweep's id. */
export async function createSweep(
  { pool }: Database,
  { plan, expansion, launchedBy, priorityMinutes = 0 }: Launched,
): Promise<string> {
  const id = newSweepId(plan.name);
  const { name, description } = plan;
  const { slots = 1, labels = [] } = plan.placement ?? {};
  const gpus = expansion.gpusPerRun ?? null;
  await inTransaction(pool, async (client) => {
    await client.query(
      `INSERT INTO sweep (id, name, description, plan, plan_hash, slots_per_run, gpus_per_run, labels, launched_by,
         priority_minutes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        id,
        name,
        description,
        JSON.stringify(plan),
        contentHash(plan),
        slots,
        gpus,
        labels,
        launchedBy ?? null,
        priorityMinutes,
      ],
    );
    await insertCells(client, id, expansion.cells);
    await insertRuns(client, id, expansion.runs);
    await insertDecisions(client, id, expansion.decisions ?? []);
    await notifySweep(client, id);
  });
  return id;
}

/** Pauses or resumes a sweep. A cancelled sweep stays cancelled unless its runs are retried. */
export async function setSweepIntent({ prisma }: Database, id: string, intent: "run" | "pause"): Promise<void> {
  await prisma.$transaction(async (db) => {
    const sweep = await db.sweep.findUnique({ where: { id }, select: { name: true, intent: true, origin: true } });
    if (!sweep) throw noSweep(id);
    refuseForeign(sweep);
    if (sweep.intent === "cancel") {
      throw new AppError("conflict", `sweep ${sweep.name} was cancelled; retry its runs to continue it`);
    }
    await db.sweep.update({ where: { id }, data: { intent } });
    await notify(db, { sweepId: id, kind: "sweep" });
  });
}

export const notCancelled = { cancelledBy: null, intentBefore: null, cancelAt: null } as const;

/** Throws for runs of external trainers, which the studio cannot control. */
export function refuseForeign({ origin }: { origin: string }): void {
  if (origin === "plan") return;
  throw new AppError(
    "conflict",
    "the runs of this sweep belong to another trainer, which the studio cannot start or stop",
  );
}

/** Allows failed and cancelled runs one more attempt, except added runs that were taken back. Returns their number. */
export async function retryRuns({ prisma }: Database, id: string): Promise<number> {
  return prisma.$transaction(async (db) => {
    const sweep = await db.sweep.findUnique({ where: { id }, select: { intent: true, origin: true } });
    if (!sweep) throw noSweep(id);
    refuseForeign(sweep);
    const ended = await db.run.findMany({
      where: { sweepId: id, status: { in: ["failed", "cancelled"] } },
      select: { id: true, status: true, reason: true, addedAt: true },
    });
    const runs = ended.filter((run) => !isTakenBack(run));
    if (runs.length === 0) throw new AppError("conflict", "no run of this sweep failed or was cancelled");
    // One statement for all runs: there may be 40,000.
    await db.$executeRaw`
      UPDATE run SET status = 'pending', reason = NULL, intent = 'run', ended_at = NULL, not_before = NULL,
        cancelled_by = NULL, intent_before = NULL, cancel_at = NULL,
        max_attempts = 1 + (SELECT count(*)::int FROM attempt WHERE attempt.run_id = run.id)
      WHERE id = ANY(${runs.map((run) => run.id)})`;
    await db.statusEvent.createMany({
      data: runs.map((run) => ({ runId: run.id, source: "user", status: "pending", text: "retry asked for" })),
    });
    if (sweep.intent === "cancel") await db.sweep.update({ where: { id }, data: { intent: "run", ...notCancelled } });
    await notify(db, { sweepId: id, kind: "sweep" });
    return runs.length;
  });
}

/** Deletes a sweep and all its measurements. Throws while a job of the sweep may be alive. */
export async function deleteSweep({ prisma }: Database, id: string): Promise<void> {
  await prisma.$transaction(async (db) => {
    const numLive = await db.attempt.count({ where: { live: true, run: { sweepId: id } } });
    if (numLive > 0)
      throw new AppError(
        "conflict",
        `${formatCount(numLive, "run of this sweep is", "runs of this sweep are")} still alive; cancel it first`,
      );
    const where = { run: { sweepId: id } };
    const attempts = await db.attempt.findMany({ where, select: { id: true } });
    const points = { where: { attemptId: { in: attempts.map((attempt) => attempt.id) } } };
    await db.metricRow.deleteMany(points);
    await db.metricBlock.deleteMany(points);
    const { count } = await db.sweep.deleteMany({ where: { id } });
    if (count === 0) throw noSweep(id);
    await notify(db, { sweepId: id, kind: "sweep" });
  });
}

/** Notifies listeners once the transaction commits. */
export async function notify(db: Prisma.TransactionClient, news: Notification): Promise<void> {
  await db.$executeRaw`SELECT pg_notify('arlarena', ${JSON.stringify(news)})`;
}

export const BranchedFromColumn = z
  .object({
    runId: z.string(),
    name: z.string().nullable(),
    sweepId: z.string().nullable(),
    sweepName: z.string().nullable(),
  })
  .nullable();

const SummaryRow = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  intent: z.enum(["run", "pause", "cancel"]).catch("run"),
  cancelledBy: z.string().nullable(),
  cancelAt: z.date().nullable(),
  origin: z.enum(["plan", "import", "tracking"]).catch("plan"),
  importedAt: z.date().nullable(),
  createdAt: z.date(),
  tags: z.array(z.string()),
  isFavourite: z.boolean(),
  isArchived: z.boolean(),
  methods: z.array(z.string()),
  environments: z.array(z.string()),
  numCells: z.number(),
  counts: z.record(z.string(), z.number()),
  numJudged: z.number(),
  numCollapsed: z.number(),
  numUnclear: z.number(),
  fullDisks: z.array(z.string()).nullable(),
  iterationsDone: z.number(),
  iterationsLeft: z.number().nullable(),
  busyMs: z.number(),
  startedAt: z.date().nullable(),
  endedAt: z.date().nullable(),
  branchedFrom: BranchedFromColumn,
});

const kinds = Object.entries(wordOfKind);
const collapsedKinds = kinds.filter(([, word]) => word.startsWith("collapsed")).map(([kind]) => `'${kind}'`);

/** Seeds that are equal at every step count once. */
const countDistinct = "count(DISTINCT coalesce(cell.id || ' ' || run.curves, run.id))";

/** Joins the run from which a sweep `s` branches, as the column `o.branched_from`. */
export const branchedFromSql = `LEFT JOIN LATERAL (
    SELECT json_build_object('runId', first.spec->'initialisation'->>'run', 'sweepId', home.id, 'sweepName', home.name,
      'name', source.method || ', seed ' || origin.seed || ' (' || home.name || ')') AS branched_from
    FROM (SELECT spec FROM cell WHERE sweep_id = s.id ORDER BY index LIMIT 1) AS first
      LEFT JOIN run origin ON origin.id = first.spec->'initialisation'->>'run'
      LEFT JOIN cell source ON source.id = origin.cell_id LEFT JOIN sweep home ON home.id = origin.sweep_id
    WHERE first.spec->'initialisation'->>'kind' = 'branch'
  ) AS o ON true`;

const summarySql = (where: string): string => `
  SELECT s.id, s.name, s.description, s.intent, s.cancelled_by AS "cancelledBy", s.cancel_at AS "cancelAt", s.origin, s.imported_at AS "importedAt",
         s.created_at AS "createdAt", s.tags, s.is_favourite AS "isFavourite", s.archived_at IS NOT NULL AS "isArchived", s.plan,
         coalesce(c.methods, '{}') AS methods, coalesce(c.environments, '{}') AS environments,
         coalesce(c.num_cells, 0) AS "numCells", coalesce(r.counts, '{}') AS counts,
         coalesce(r.num_judged, 0) AS "numJudged", coalesce(r.num_collapsed, 0) AS "numCollapsed",
         coalesce(r.num_unclear, 0) AS "numUnclear", d.full_disks AS "fullDisks",
         coalesce(r.iterations_done, 0) AS "iterationsDone", r.iterations_left AS "iterationsLeft",
         coalesce(b.busy_ms, 0) AS "busyMs", r.started_at AS "startedAt", r.ended_at AS "endedAt", o.branched_from AS "branchedFrom"
  FROM sweep s
  CROSS JOIN LATERAL (
    SELECT array_agg(method ORDER BY first) AS methods, sum(n)::int AS num_cells,
           (SELECT array_agg(DISTINCT ${environmentSql("spec")}) FROM cell
            WHERE sweep_id = s.id AND ${shownSql("cell")}) AS environments
    FROM (
      SELECT method, min(index) AS first, count(*) AS n FROM cell
      WHERE sweep_id = s.id AND ${shownSql("cell")} GROUP BY method
    ) AS m
  ) AS c
  CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(status, n) AS counts, sum(done)::float8 AS iterations_done,
           CASE WHEN bool_or(is_unlimited) THEN NULL ELSE coalesce(sum(left_over), 0)::float8 END AS iterations_left,
           sum(judged)::int AS num_judged, sum(collapsed)::int AS num_collapsed, sum(unclear)::int AS num_unclear,
           min(started_at) AS started_at, max(ended_at) AS ended_at
    FROM (
      SELECT run.status, count(*) AS n, sum(run.latest_iteration) AS done,
             sum(CASE WHEN ${overSql("run")} THEN 0
                 ELSE greatest(0, ${iterationsSql("cell.spec")} - run.latest_iteration) END) AS left_over,
             bool_or(NOT ${overSql("run")} AND ${iterationsSql("cell.spec")} = 0 AND run.latest_iteration > 0) AS is_unlimited,
             ${countDistinct} FILTER (WHERE detection.hindsight->'label'->>'kind' <> 'notJudged') AS judged,
             ${countDistinct} FILTER (WHERE detection.hindsight->'label'->>'kind' IN (${collapsedKinds.join(", ")})) AS collapsed,
             ${countDistinct} FILTER (WHERE detection.hindsight->'label'->>'kind' = 'ambiguous') AS unclear,
             min(run.started_at) AS started_at, max(run.ended_at) AS ended_at
      FROM run JOIN cell ON cell.id = run.cell_id LEFT JOIN detection ON detection.run_id = run.id AND detection.num_steps > 0
      WHERE run.sweep_id = s.id AND ${countedSql("run")} GROUP BY run.status
    ) AS by_status
  ) AS r
  CROSS JOIN LATERAL (
    SELECT sum(extract(epoch FROM coalesce(attempt.ended_at, now()) - attempt.created_at) * 1000)::float8 AS busy_ms
    FROM run JOIN attempt ON attempt.run_id = run.id WHERE run.sweep_id = s.id AND ${countedSql("run")}
  ) AS b
  CROSS JOIN LATERAL (
    SELECT array_agg(name ORDER BY name) AS full_disks FROM node_sighting WHERE is_configured AND is_disk_full
      AND EXISTS (SELECT FROM run WHERE sweep_id = s.id AND status = 'pending' AND reason = 'disk_full')
  ) AS d
  ${branchedFromSql}
  ${where}
  ORDER BY s.created_at DESC`;

function toSummary(stored: z.infer<typeof SummaryRow>): SweepSummary {
  const { counts: byStatus, fullDisks, branchedFrom, ...row } = stored;
  const counts = { pending: 0, starting: 0, running: 0, unknown: 0, finished: 0, failed: 0, cancelled: 0 };
  for (const [status, n] of Object.entries(byStatus)) counts[parseRunStatus(status)] += n;
  const numRuns = Object.values(counts).reduce((sum, n) => sum + n, 0);
  return { ...row, counts, numRuns, ...(fullDisks && { fullDisks }), ...(branchedFrom && { branchedFrom }) };
}

/** Creates a readable id for URLs: the first letters and digits of the name, and five random characters. */
export function newSweepId(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 24);
  const letters = "abcdefghjkmnpqrstuvwxyz23456789";
  const tail = Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join("");
  return slug === "" ? tail : `${slug}-${tail}`;
}

function noSweep(id: string): AppError {
  return new AppError("not_found", `there is no sweep ${id}`);
}
