import { AppError } from "#packages/base";
import { parseStoredSpec, type StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { Aftermath } from "#server/domain/fleet/retry.ts";
import { overStatuses, parseRunReason, parseRunStatus } from "#server/domain/runs/runStatus.ts";
import { DoneEvent, StartedEvent } from "#trainer/spec/event.ts";
import type { Database, Pool } from "../storage/client.ts";
import { readColumn, readRows, RunReasonColumn, RunStatusColumn } from "../storage/readRows.ts";
import { countedSql, iterationsSql } from "../storage/sql.ts";
import { notCancelled, notify, refuseForeign } from "../plan/sweeps.ts";
import { environmentSql, shownSql, withLooks } from "../plan/cells.ts";
import { z } from "zod";
import { type Choice, choices } from "#server/domain/plan/sweep/dependence.ts";
import { choiceSql } from "./choice.ts";

export type RunScope =
  | { sweepIds: readonly string[]; cellIds?: readonly number[] }
  | { runId: string }
  | { runIds: readonly string[] };

const CellRow = z.object({
  id: z.number(),
  sweepId: z.string(),
  sweepName: z.string(),
  index: z.number(),
  method: z.string(),
  label: z.string(),
  environment: z.string(),
  /** True if a user entered the configuration by hand; false if the imported file states it. */
  isStated: z.boolean(),
  /** Iterations in the run's budget, or the equivalent steps of an external trainer. */
  iterations: z.number(),
});
export type CellRow = z.infer<typeof CellRow>;

const RunRow = z.object({
  id: z.string(),
  sweepId: z.string(),
  cellId: z.int(),
  seed: z.int(),
  status: RunStatusColumn,
  reason: RunReasonColumn,
  /** Text of the run's last status change. */
  text: z.string().nullable(),
  latestIteration: z.int(),
  numAttempts: z.int(),
  startedAt: z.date().nullable(),
  endedAt: z.date().nullable(),
  /** Time at which the run was added to the launched sweep; null for a run of the original plan. */
  addedAt: z.date().nullable(),
});
export type RunRow = z.output<typeof RunRow>;

/** SQL for an external trainer's last step; null before an attempt began, and for cells measured in iterations. */
const askedSql = `(SELECT max((a.started->>'lastIteration')::int) FROM run r JOIN attempt a ON a.run_id = r.id
       WHERE r.cell_id = c.id)`;

/** `content`: by sweep, cell, seed. `stored`: by database rows, as in old table hashes (up to version tables-3). */
export type RunOrder = "content" | "stored";
const cellOrders: Record<RunOrder, string> = {
  content: 's.id COLLATE "C", c.index',
  stored: "s.created_at, s.id, c.index",
};
const runOrders: Record<RunOrder, string> = {
  content: 'r.sweep_id COLLATE "C", c.index, r.seed, r.id COLLATE "C"',
  stored: "r.cell_id, r.seed",
};

export async function readCells({ pool }: Database, scope: RunScope, order: RunOrder = "content"): Promise<CellRow[]> {
  const [where, values] =
    "sweepIds" in scope
      ? [`c.sweep_id = ANY($1) AND ${isAmongCells}`, valuesOf(scope)]
      : ["c.id IN (SELECT cell_id FROM run WHERE id = ANY($1))", [idsOf(scope)]];
  return readRows(pool, CellRow, {
    sql: `SELECT c.id, c.sweep_id AS "sweepId", s.name AS "sweepName", c.index, c.method, c.label,
       ${environmentSql("c.spec")} AS environment, c.spec ? 'stated' AS "isStated", COALESCE(${askedSql}, ${iterationsSql("c.spec")}) AS iterations
     FROM cell c JOIN sweep s ON s.id = c.sweep_id WHERE ${where} AND ${shownSql("c")} ORDER BY ${cellOrders[order]}`,
    values,
  });
}

export async function readCellSpecs(
  { prisma }: Database,
  sweepIds: readonly string[],
): Promise<Map<number, { spec: StoredSpec; planHash: string }>> {
  const cells = await prisma.cell.findMany({
    where: { sweepId: { in: [...sweepIds] } },
    select: { id: true, spec: true, sweep: { select: { planHash: true } } },
  });
  return new Map(cells.map(({ id, spec, sweep }) => [id, { spec: parseStoredSpec(spec), planHash: sweep.planHash }]));
}

/** True if all of these runs were imported or received from other trainers. */
export async function areImported(pool: Pool, runIds: readonly string[]): Promise<boolean> {
  const [are = false] = await readColumn(pool, z.boolean(), {
    sql: `SELECT coalesce(bool_and(spec->>'kind' IS NOT DISTINCT FROM 'imported'), false)
     FROM cell WHERE id IN (SELECT cell_id FROM run WHERE id = ANY($1))`,
    values: [runIds],
  });
  return are;
}

type SomeSweeps = Extract<RunScope, { sweepIds: readonly string[] }>;
const isAmongCells = "($2::int[] IS NULL OR c.id = ANY($2))";
const valuesOf = ({ sweepIds, cellIds }: SomeSweeps): unknown[] => [sweepIds, cellIds ?? null];

/** WHERE clause on `run r JOIN cell c`. Sweeps select only runs that count (not those taken back); ids select any. */
function whereRuns(scope: RunScope): [where: string, values: unknown[]] {
  return "sweepIds" in scope
    ? [`r.sweep_id = ANY($1) AND ${isAmongCells} AND ${countedSql("r")}`, valuesOf(scope)]
    : ["r.id = ANY($1)", [idsOf(scope)]];
}

function idsOf(scope: Exclude<RunScope, SomeSweeps>): readonly string[] {
  return "runId" in scope ? [scope.runId] : scope.runIds;
}

export async function readRuns({ pool }: Database, scope: RunScope, order: RunOrder = "content"): Promise<RunRow[]> {
  const [where, values] = whereRuns(scope);
  return readRows(pool, RunRow, {
    sql: `SELECT r.id, r.sweep_id AS "sweepId", r.cell_id AS "cellId", r.seed, r.status, r.reason, e.text,
       r.latest_iteration AS "latestIteration", r.started_at AS "startedAt", r.ended_at AS "endedAt",
       r.added_at AS "addedAt",
       (SELECT count(*)::int FROM attempt WHERE run_id = r.id) AS "numAttempts"
     FROM run r JOIN cell c ON c.id = r.cell_id LEFT JOIN LATERAL (
       SELECT text FROM status_event WHERE run_id = r.id AND status = r.status ORDER BY id DESC LIMIT 1
     ) AS e ON true
     WHERE ${where} ORDER BY ${runOrders[order]}`,
    values,
  });
}

/** Counts runs that were added to these sweeps and then cancelled. */
export async function countTakenBack({ pool }: Database, sweepIds: readonly string[]): Promise<number> {
  const [count = 0] = await readColumn(pool, z.number(), {
    sql: `SELECT count(*)::int FROM run r WHERE r.sweep_id = ANY($1) AND NOT ${countedSql("r")}`,
    values: [sweepIds],
  });
  return count;
}

/** Reads runs that were added and then cancelled: they count nowhere, but their measurements are kept. */
export async function readTakenBack({ pool }: Database, sweepId: string) {
  const TakenBack = z.object({ id: z.string(), cellId: z.number(), seed: z.number(), latestIteration: z.number() });
  return readRows(pool, TakenBack, {
    sql: `SELECT r.id, r.cell_id AS "cellId", r.seed, r.latest_iteration AS "latestIteration"
     FROM run r WHERE r.sweep_id = $1 AND NOT ${countedSql("r")} ORDER BY r.seed, r.cell_id`,
    values: [sweepId],
  });
}

/** Reads runs by configuration. `repeats`: runs that are equal at every step to an earlier one of their configuration. */
export async function readRunIds(
  { pool }: Database,
  scope: RunScope,
): Promise<{ cellId: number; runIds: string[]; repeats: string[] }[]> {
  const [where, values] = whereRuns(scope);
  const Row = z.object({ cellId: z.number(), runIds: z.array(z.string()), curves: z.array(z.string().nullable()) });
  const rows = await readRows(pool, Row, {
    sql: `SELECT c.id AS "cellId", array_agg(r.id ORDER BY r.seed, r.id COLLATE "C") AS "runIds",
       array_agg(r.curves ORDER BY r.seed, r.id COLLATE "C") AS curves
     FROM run r JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = c.sweep_id
     WHERE ${where} GROUP BY c.id, s.id ORDER BY ${cellOrders.content}`,
    values,
  });
  return rows.map(({ cellId, runIds, curves }) => {
    const first = new Map(curves.map((hash, i): [string | null, number] => [hash, i]).toReversed());
    const repeats = runIds.filter((_, i) => curves[i] !== null && first.get(curves[i] ?? null) !== i);
    return { cellId, runIds, repeats };
  });
}

async function readChoice(pool: Pool, id: string): Promise<Choice> {
  const [choice = "plan"] = await readColumn(pool, z.enum(choices), {
    sql: `SELECT ${choiceSql} FROM run r JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = r.sweep_id WHERE r.id = $1`,
    values: [id],
  });
  return choice;
}

export type RunDetail = Awaited<ReturnType<typeof readRun>>;

export async function readRun({ prisma, pool }: Database, id: string) {
  const run = await prisma.run.findUnique({
    where: { id },
    include: {
      cell: true,
      sweep: { select: { id: true, name: true, intent: true, origin: true, cancelledBy: true, cancelAt: true } },
      aliases: { select: { key: true, original: true } },
      tracked: { select: { kind: true, key: true, value: true }, orderBy: { key: "asc" } },
      attempts: { orderBy: { number: "desc" }, include: { rejectedLines: { orderBy: { offset: "asc" }, take: 50 } } },
      statusEvents: { orderBy: { id: "desc" }, take: 200 },
    },
  });
  if (!run) throw noRun(id);
  const { cell, sweep, attempts, statusEvents, aliases, tracked } = run;
  const [{ look } = {}] = await withLooks(pool, [cell], () => cell.id);
  return {
    id,
    seed: run.seed,
    choice: await readChoice(pool, id),
    status: parseRunStatus(run.status),
    reason: parseRunReason(run.reason),
    intent: run.intent,
    /** User who cancelled the run or its sweep, and the time until which the run's own cancellation can be undone. */
    cancelledBy: run.cancelledBy ?? (run.sweep.intent === "cancel" ? run.sweep.cancelledBy : null),
    cancelAt: run.cancelAt,
    latestIteration: run.latestIteration,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    sweep,
    cell: { id: cell.id, index: cell.index, method: cell.method, label: cell.label, specHash: cell.specHash, look },
    spec: parseStoredSpec(cell.spec),
    /** Maps the studio's metric names to the names that the external trainer uses for them. */
    originals: Object.fromEntries(aliases.map(({ key, original }) => [key, original])),
    /** Parameters and tags that the run's external program has logged. */
    tracked,
    attempts: attempts.map((attempt) => ({
      number: attempt.number,
      node: attempt.node,
      live: attempt.live,
      jobState: attempt.jobState,
      jobText: attempt.jobText,
      host: attempt.host,
      reason: parseRunReason(attempt.reason),
      aftermath: attempt.aftermath === null ? null : Aftermath.parse(attempt.aftermath),
      exitCode: attempt.exitCode,
      logBytes: Number(attempt.logOffset),
      numMetricLines: attempt.numMetricLines,
      numRejected: attempt.numRejected,
      started: attempt.started === null ? null : StartedEvent.parse(attempt.started),
      done: attempt.done === null ? null : DoneEvent.parse(attempt.done),
      createdAt: attempt.createdAt,
      endedAt: attempt.endedAt,
      lastEventAt: attempt.lastEventAt,
      rejectedLines: attempt.rejectedLines.map(({ offset, text, problem }) => {
        return { offset: Number(offset), text: text.slice(0, 500), problem };
      }),
    })),
    statusEvents: statusEvents.map(({ id, attempt, at, source, status, reason, text }) => {
      return { id, attempt, at, source, status, reason, text };
    }),
  };
}

export async function readAttemptFolder({ prisma }: Database, runId: string, number: number): Promise<string> {
  const attempt = await prisma.attempt.findUnique({ where: { runId_number: { runId, number } } });
  if (!attempt) throw new AppError("not_found", `run ${runId} has no attempt ${number}`);
  return attempt.folder;
}

export async function readAttemptFolders({ prisma }: Database, runId: string) {
  const run = await prisma.run.findUnique({
    where: { id: runId },
    select: { attempts: { select: { number: true, folder: true }, orderBy: { number: "asc" } } },
  });
  if (!run) throw noRun(runId);
  return run.attempts;
}

/** Gives a failed or cancelled run one more attempt. If the run's sweep was cancelled, reopens the sweep. */
export async function retryRun({ prisma }: Database, id: string): Promise<void> {
  await prisma.$transaction(async (db) => {
    const run = await db.run.findUnique({
      where: { id },
      select: {
        sweepId: true,
        status: true,
        sweep: { select: { intent: true, origin: true } },
        _count: { select: { attempts: true } },
      },
    });
    if (!run) throw noRun(id);
    refuseForeign(run.sweep);
    if (!["failed", "cancelled"].includes(run.status)) {
      throw new AppError("conflict", `run ${id} is ${run.status}; only failed or cancelled runs are retried`);
    }
    // When a cancelled sweep is reopened for this run, its other runs must stay cancelled.
    if (run.sweep.intent === "cancel") {
      const open = { sweepId: run.sweepId, status: { notIn: [...overStatuses] } };
      await db.run.updateMany({ where: open, data: { intent: "cancel" } });
      await db.sweep.update({ where: { id: run.sweepId }, data: { intent: "run", ...notCancelled } });
    }
    const again = { status: "pending", reason: null, intent: "run", endedAt: null, notBefore: null, ...notCancelled };
    await db.run.update({ where: { id }, data: { ...again, maxAttempts: run._count.attempts + 1 } });
    await db.statusEvent.create({ data: { runId: id, source: "user", status: "pending", text: "retry asked for" } });
    await notify(db, { sweepId: run.sweepId, runId: id, kind: "status" });
  });
}

function noRun(id: string): AppError {
  return new AppError("not_found", `there is no run ${id}`);
}
