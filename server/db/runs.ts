import { AppError } from "#server/domain/errors.ts";
import { parseStoredSpec, type StoredSpec } from "#server/domain/import/storedSpec.ts";
import { Aftermath } from "#server/domain/retry.ts";
import { overStatuses, parseRunReason, parseRunStatus } from "#server/domain/runStatus.ts";
import { DoneEvent, StartedEvent } from "#trainer/spec/event.ts";
import type { Database } from "./client.ts";
import { RunReasonColumn, RunStatusColumn } from "./columns.ts";
import { countedSql } from "./countedSql.ts";
import type { Prisma } from "./generated/client.ts";
import { iterationsSql } from "./iterationsSql.ts";
import { notCancelled, refuseForeign } from "./sweeps.ts";
import { readRows } from "./readRows.ts";
import { environmentSql, shownSql } from "./shownCells.ts";
import { z } from "zod";

/** Whose runs: those of some sweeps (of some of their cells, where they are too many to look at), one alone, or some by their ids. */
export type RunScope =
  { sweepIds: readonly string[]; cellIds?: readonly number[] } | { runId: string } | { runIds: readonly string[] };

const CellRow = z.object({
  id: z.number(),
  sweepId: z.string(),
  sweepName: z.string(),
  index: z.number(),
  method: z.string(),
  label: z.string(),
  environment: z.string(),
  /** A person stated what it is; no file recorded it. */
  isStated: z.boolean(),
  /** Iterations its budget pays for, or the steps that another trainer makes of them. */
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
  /** The text of the last status event. */
  text: z.string().nullable(),
  latestIteration: z.int(),
  numAttempts: z.int(),
  startedAt: z.date().nullable(),
  endedAt: z.date().nullable(),
  /** When it was added to the launched sweep; null for a run of its plan. */
  addedAt: z.date().nullable(),
});
export type RunRow = z.output<typeof RunRow>;

/** The last step that another trainer was asked for, once an attempt began; null where steps are iterations. */
const askedSql = `(SELECT max((a.started->>'lastIteration')::int) FROM run r JOIN attempt a ON a.run_id = r.id
       WHERE r.cell_id = c.id)`;

/** The cells within a scope, in the order of their sweeps and plans. */
export async function readCells({ pool }: Database, scope: RunScope): Promise<CellRow[]> {
  const [where, values] =
    "sweepIds" in scope
      ? [`c.sweep_id = ANY($1) AND ${isAmongCells}`, valuesOf(scope)]
      : ["c.id IN (SELECT cell_id FROM run WHERE id = ANY($1))", [idsOf(scope)]];
  return readRows(pool, CellRow, {
    sql: `SELECT c.id, c.sweep_id AS "sweepId", s.name AS "sweepName", c.index, c.method, c.label,
       ${environmentSql("c.spec")} AS environment, c.spec ? 'stated' AS "isStated", COALESCE(${askedSql}, ${iterationsSql("c.spec")}) AS iterations
     FROM cell c JOIN sweep s ON s.id = c.sweep_id WHERE ${where} AND ${shownSql("c")} ORDER BY s.created_at, s.id, c.index`,
    values,
  });
}

/** What each cell trains, by cell id, and the plan it comes from. */
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

type SomeSweeps = Extract<RunScope, { sweepIds: readonly string[] }>;
const isAmongCells = "($2::int[] IS NULL OR c.id = ANY($2))";
const valuesOf = ({ sweepIds, cellIds }: SomeSweeps): unknown[] => [sweepIds, cellIds ?? null];

/** Over `run r JOIN cell c`. Of sweeps, the runs that make them up; by its id, a run is found whatever became of it. */
function whereRuns(scope: RunScope): [where: string, values: unknown[]] {
  return "sweepIds" in scope
    ? [`r.sweep_id = ANY($1) AND ${isAmongCells} AND ${countedSql("r")}`, valuesOf(scope)]
    : ["r.id = ANY($1)", [idsOf(scope)]];
}

function idsOf(scope: Exclude<RunScope, SomeSweeps>): readonly string[] {
  return "runId" in scope ? [scope.runId] : scope.runIds;
}

/** The runs within a scope as a grid shows them. */
export async function readRuns({ pool }: Database, scope: RunScope): Promise<RunRow[]> {
  const [where, values] = whereRuns(scope);
  return readRows(pool, RunRow, {
    sql: `SELECT r.id, r.sweep_id AS "sweepId", r.cell_id AS "cellId", r.seed, r.status, r.reason, e.text,
       r.latest_iteration AS "latestIteration", r.started_at AS "startedAt", r.ended_at AS "endedAt",
       r.added_at AS "addedAt",
       (SELECT count(*)::int FROM attempt WHERE run_id = r.id) AS "numAttempts"
     FROM run r JOIN cell c ON c.id = r.cell_id LEFT JOIN LATERAL (
       SELECT text FROM status_event WHERE run_id = r.id AND status = r.status ORDER BY id DESC LIMIT 1
     ) AS e ON true
     WHERE ${where} ORDER BY r.cell_id, r.seed`,
    values,
  });
}

/** Runs of a sweep that were added and then cancelled: they count nowhere, and what they measured is kept. */
export async function readTakenBack(
  { pool }: Database,
  sweepId: string,
): Promise<{ id: string; cellId: number; seed: number; latestIteration: number }[]> {
  return readRows(
    pool,
    z.object({ id: z.string(), cellId: z.number(), seed: z.number(), latestIteration: z.number() }),
    {
      sql: `SELECT r.id, r.cell_id AS "cellId", r.seed, r.latest_iteration AS "latestIteration"
     FROM run r WHERE r.sweep_id = $1 AND NOT ${countedSql("r")} ORDER BY r.seed, r.cell_id`,
      values: [sweepId],
    },
  );
}

/** The runs of each cell in order of their seeds: what a chart needs to know of them. */
export async function readRunIds({ pool }: Database, scope: RunScope): Promise<{ cellId: number; runIds: string[] }[]> {
  const [where, values] = whereRuns(scope);
  return readRows(pool, z.object({ cellId: z.number(), runIds: z.array(z.string()) }), {
    sql: `SELECT c.id AS "cellId", array_agg(r.id ORDER BY r.seed) AS "runIds"
     FROM run r JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = c.sweep_id
     WHERE ${where} GROUP BY c.id, s.id ORDER BY s.created_at, s.id, c.index`,
    values,
  });
}

export type RunDetail = Awaited<ReturnType<typeof readRun>>;

/** One run with its configuration, attempts, history and the log lines that could not be read. */
export async function readRun({ prisma }: Database, id: string) {
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
  return {
    id,
    seed: run.seed,
    status: parseRunStatus(run.status),
    reason: parseRunReason(run.reason),
    intent: run.intent,
    /** By whom it or its sweep was cancelled, as the log of changes names them, and until when its own can be taken back. */
    cancelledBy: run.cancelledBy ?? (run.sweep.intent === "cancel" ? run.sweep.cancelledBy : null),
    cancelAt: run.cancelAt,
    latestIteration: run.latestIteration,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    sweep,
    cell: { id: cell.id, index: cell.index, method: cell.method, label: cell.label, specHash: cell.specHash },
    spec: parseStoredSpec(cell.spec),
    /** What another trainer calls the catalogue's metrics. */
    originals: Object.fromEntries(aliases.map(({ key, original }) => [key, original])),
    /** Parameters and tags as a tracked run sent them. */
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

/** Where an attempt keeps its files. */
export async function readAttemptFolder({ prisma }: Database, runId: string, number: number): Promise<string> {
  const attempt = await prisma.attempt.findUnique({ where: { runId_number: { runId, number } } });
  if (!attempt) throw new AppError("not_found", `run ${runId} has no attempt ${number}`);
  return attempt.folder;
}

/** Where each attempt of a run keeps its files, in the order of the attempts. */
export async function readAttemptFolders(
  { prisma }: Database,
  runId: string,
): Promise<{ number: number; folder: string }[]> {
  const run = await prisma.run.findUnique({
    where: { id: runId },
    select: { attempts: { select: { number: true, folder: true }, orderBy: { number: "asc" } } },
  });
  if (!run) throw noRun(runId);
  return run.attempts;
}

/** Gives a failed or cancelled run one more attempt; of a cancelled sweep, the sweep goes on with it. */
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
    // The others of a cancelled sweep must stay cancelled when it is opened again for this one.
    if (run.sweep.intent === "cancel") {
      const open = { sweepId: run.sweepId, status: { notIn: [...overStatuses] } };
      await db.run.updateMany({ where: open, data: { intent: "cancel" } });
      await db.sweep.update({ where: { id: run.sweepId }, data: { intent: "run", ...notCancelled } });
    }
    const again = { status: "pending", reason: null, intent: "run", endedAt: null, notBefore: null, ...notCancelled };
    await db.run.update({ where: { id }, data: { ...again, maxAttempts: run._count.attempts + 1 } });
    await db.statusEvent.create({ data: { runId: id, source: "user", status: "pending", text: "retry asked for" } });
    await notify(db, run.sweepId, id);
  });
}

async function notify(db: Prisma.TransactionClient, sweepId: string, runId: string): Promise<void> {
  const news = JSON.stringify({ sweepId, runId, kind: "status" });
  await db.$executeRaw`SELECT pg_notify('arlarena', ${news})`;
}

function noRun(id: string): AppError {
  return new AppError("not_found", `there is no run ${id}`);
}
