import { environmentSql } from "../plan/cells.ts";
import { AppError } from "#packages/base";
import {
  defaultExperiment,
  type KeyValue,
  type Stage,
  type TrackedExperiment,
  type TrackedInput,
} from "#server/domain/trainers/mlflow/store.ts";
import { z } from "zod";
import type { ImportedSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { describeCanceller } from "#server/domain/fleet/cancellation.ts";
import { isOver, parseRunStatus, type RunStatus } from "#server/domain/runs/runStatus.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import type { Pool, PoolClient } from "pg";
import type { Database, Pooled } from "../storage/client.ts";
import type { Prisma } from "../generated/client.ts";
import { notifySweep } from "../plan/planned.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { compactPoints } from "../runs/pointWrites.ts";
import { readColumn, readRows } from "../storage/readRows.ts";

type TrackedValue = { kind: string; key: string; value: string };
type Experiment = { id: string; name: string; createdAt: Date; tracked: readonly TrackedValue[] };

const experimentColumns = {
  id: true,
  name: true,
  createdAt: true,
  tracked: { select: { kind: true, key: true, value: true }, orderBy: { key: "asc" } },
} as const;

/** Lists the experiments of the tracking protocol, newest first, with the default one even if it is not stored. */
export async function listTrackedSweeps({ prisma }: Database): Promise<TrackedExperiment[]> {
  const select = experimentColumns;
  const sweeps = await prisma.sweep.findMany({ where: { origin: "tracking" }, select, orderBy: { createdAt: "desc" } });
  const stored = sweeps.map(toExperiment);
  return stored.some(({ id }) => id === defaultExperiment.id) ? stored : [...stored, unstoredDefault];
}

export async function findTrackedSweep(
  { prisma }: Database,
  wanted: { name: string } | { id: string },
): Promise<TrackedExperiment | undefined> {
  const where = { origin: "tracking", ...wanted };
  const sweep = await prisma.sweep.findFirst({ where, select: experimentColumns, orderBy: { createdAt: "asc" } });
  if (sweep) return toExperiment(sweep);
  const isDefault = "id" in wanted ? wanted.id === defaultExperiment.id : wanted.name === defaultExperiment.name;
  if (!isDefault) return undefined;
  // A default experiment that was renamed keeps its id, and its old name becomes available.
  const isStored = (await prisma.sweep.count({ where: { id: defaultExperiment.id } })) > 0;
  return isStored ? undefined : unstoredDefault;
}

const unstoredDefault: TrackedExperiment = { ...defaultExperiment, createdAtMs: 0, stage: "active", tags: [] };

function toExperiment({ id, name, createdAt, tracked }: Experiment): TrackedExperiment {
  return { id, name, createdAtMs: createdAt.getTime(), stage: stageOf(tracked), tags: pairsOf(tracked, "tag") };
}

function stageOf(tracked: readonly TrackedValue[]): Stage {
  return tracked.some(({ kind }) => kind === "stage") ? "deleted" : "active";
}

function pairsOf(tracked: readonly TrackedValue[], wanted: string): KeyValue[] {
  return tracked.filter(({ kind }) => kind === wanted).map(({ key, value }) => ({ key, value }));
}

/** Renames an experiment. Throws `conflict` if another experiment has the name. */
export async function renameTrackedSweep({ prisma }: Database, id: string, name: string): Promise<void> {
  await prisma.$transaction(async (db) => {
    await reserveName(db, name, id);
    await db.sweep.update({ where: { id }, data: { name } });
  });
}

/** Reserves a name until the transaction ends: trainers that start together create the same experiment. */
export async function reserveName(db: Prisma.TransactionClient, name: string, id = ""): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(4127004, hashtext(${name}))`;
  const others = await db.sweep.count({ where: { name, origin: "tracking", id: { not: id } } });
  if (others > 0) throw nameTaken(name);
}

export function nameTaken(name: string): AppError {
  return new AppError("conflict", `experiment "${name}" exists already`);
}

/** Marks an experiment and all its runs as deleted, or restores them. Their database rows are kept. */
export async function setExperimentStage({ pool }: Database, id: string, stage: Stage): Promise<void> {
  const isDeleted = stage === "deleted";
  await inTransaction(pool, async (client) => {
    const experiment = isDeleted
      ? "INSERT INTO tracked_experiment_value VALUES ($1, 'stage', 'stage', 'deleted') ON CONFLICT DO NOTHING"
      : "DELETE FROM tracked_experiment_value WHERE sweep_id = $1 AND kind = 'stage'";
    const runs = isDeleted
      ? `INSERT INTO tracked_value SELECT id, 'stage', 'stage', 'deleted' FROM run WHERE sweep_id = $1
         ON CONFLICT DO NOTHING`
      : "DELETE FROM tracked_value WHERE kind = 'stage' AND run_id IN (SELECT id FROM run WHERE sweep_id = $1)";
    await client.query(experiment, [id]);
    await client.query(runs, [id]);
  });
}

/** Sets a tag of an experiment; an undefined value deletes the tag. Returns false if there was no such tag. */
export async function tagTrackedSweep(
  { pool }: Database,
  id: string,
  { key, value }: { key: string; value: string | undefined },
): Promise<boolean> {
  const { rowCount } =
    value === undefined
      ? await pool.query("DELETE FROM tracked_experiment_value WHERE sweep_id = $1 AND kind = 'tag' AND key = $2", [
          id,
          key,
        ])
      : await pool.query(
          `INSERT INTO tracked_experiment_value (sweep_id, kind, key, value) VALUES ($1, 'tag', $2, $3)
           ON CONFLICT (sweep_id, kind, key) DO UPDATE SET value = excluded.value`,
          [id, key, toStorable(value)],
        );
  return rowCount === 1;
}

export type NewRun = {
  sweepId: string;
  identity: { method: string; environment: string; seed: number | undefined };
  label: string;
  spec: ImportedSpec;
  /** Creates the run's folder and returns its path. If this fails, the run is not stored. */
  makeFolder: (runId: string) => Promise<string>;
  startedAtMs: number;
  values: readonly (KeyValue & { kind: "param" | "tag" })[];
};

/** Creates a reported run in the cell of its method and environment, with its stated or the next free seed. */
export async function createTrackedRun({ pool }: Database, run: NewRun): Promise<string> {
  const { sweepId, identity, label, spec, makeFolder, startedAtMs, values } = run;
  return await inTransaction(pool, async (client) => {
    // Runs of a sweep are created one at a time, because each must see the seeds and cells of earlier runs.
    const [isDeleted] = await readColumn(client, z.boolean(), {
      sql: `SELECT EXISTS (SELECT FROM tracked_experiment_value WHERE sweep_id = id AND kind = 'stage') AS "isDeleted"
       FROM sweep WHERE id = $1 AND origin = 'tracking' FOR UPDATE`,
      values: [sweepId],
    });
    if (isDeleted === undefined) throw new AppError("not_found", `there is no experiment ${sweepId}`);
    if (isDeleted) throw new AppError("bad_input", `experiment ${sweepId} is deleted: restore it first`);
    const Cell = z.object({ id: z.number(), index: z.number() });
    const cells = await readRows(client, Cell, {
      sql: `SELECT id, index FROM cell WHERE sweep_id = $1 AND method = $2 AND ${environmentSql("spec")} = $3 AND NOT spec ? 'stated'`,
      values: [sweepId, identity.method, identity.environment],
    });
    const made = await readRows(client, Cell, {
      sql: `INSERT INTO cell (sweep_id, index, method, label, spec, spec_hash)
       SELECT $1, coalesce(max(index) + 1, 0), $2, $3, $4, $5 FROM cell WHERE sweep_id = $1 AND $6::int IS NULL
       HAVING $6::int IS NULL RETURNING id, index`,
      values: [sweepId, identity.method, label, JSON.stringify(spec), contentHash(spec), cells[0]?.id ?? null],
    });
    const cell = cells[0] ?? made[0];
    if (cell === undefined) throw new AppError("internal", `no cell for a run of experiment ${sweepId}`);
    const taken = await readColumn(client, z.number(), {
      // Seeds of runs that a user moved to another configuration stay reserved here, because the runs may return.
      sql: "SELECT coalesce(imported_seed, seed) AS seed FROM run WHERE coalesce(imported_cell_id, cell_id) = $1",
      values: [cell.id],
    });
    const seed = chooseSeed(identity.seed, new Set(taken));
    const runId = `${sweepId}-c${cell.index}-s${seed}`;
    await client.query(
      `INSERT INTO run (id, sweep_id, cell_id, seed, status, started_at)
       VALUES ($1, $2, $3, $4, 'running', to_timestamp($5::float8 / 1000))`,
      [runId, sweepId, cell.id, seed, startedAtMs],
    );
    await client.query(
      `INSERT INTO attempt (run_id, number, job_id, node, folder, live, job_state)
       VALUES ($1, 1, $2, 'tracking', $3, false, 'elsewhere')`,
      [runId, `${runId}.1`, await makeFolder(runId)],
    );
    const sql = "INSERT INTO tracked_value (run_id, kind, key, value) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    for (const { kind, key, value } of values) await client.query(sql, [runId, kind, key, toStorable(value)]);
    await notifySweep(client, sweepId);
    return runId;
  });
}

function chooseSeed(wanted: number | undefined, taken: ReadonlySet<number>): number {
  if (wanted !== undefined && !taken.has(wanted)) return wanted;
  let seed = 0;
  while (taken.has(seed)) seed += 1;
  return seed;
}

export type TrackedRunRow = {
  id: string;
  sweepId: string;
  seed: number;
  method: string;
  status: RunStatus;
  stage: Stage;
  startedAt: Date | null;
  endedAt: Date | null;
  folder: string;
  attemptId: number;
  params: readonly KeyValue[];
  tags: readonly KeyValue[];
  inputs: readonly TrackedInput[];
  /** Maps the stored name of a renamed metric to the external trainer's own name. */
  originals: Readonly<Record<string, string>>;
};

const Input = z.object({
  tags: z.array(z.object({ key: z.string(), value: z.string() })),
  dataset: z.record(z.string(), z.string()),
});

/** Reads the runs that external programs reported for some experiments, or a single run, newest first. */
export async function readTrackedRuns(
  { prisma }: Database,
  where: { id: string | { in: string[] } } | { sweepId: { in: string[] } },
): Promise<TrackedRunRow[]> {
  const runs = await prisma.run.findMany({
    where: { ...where, sweep: { origin: "tracking" } },
    include: {
      tracked: { orderBy: { key: "asc" } },
      attempts: { select: { id: true, folder: true } },
      cell: { select: { method: true } },
      aliases: { select: { key: true, original: true } },
    },
    orderBy: [{ createdAt: "desc" }, { id: "asc" }],
  });
  return runs.flatMap((run) =>
    run.attempts.slice(0, 1).map((attempt) => ({
      id: run.id,
      sweepId: run.sweepId,
      seed: run.seed,
      method: run.cell.method,
      status: parseRunStatus(run.status),
      stage: stageOf(run.tracked),
      startedAt: run.startedAt,
      endedAt: run.endedAt,
      folder: attempt.folder,
      attemptId: attempt.id,
      params: pairsOf(run.tracked, "param"),
      tags: pairsOf(run.tracked, "tag"),
      inputs: pairsOf(run.tracked, "input").map(({ value }) => Input.parse(JSON.parse(value))),
      originals: Object.fromEntries(run.aliases.map(({ key, original }) => [key, original])),
    })),
  );
}

/** Adds immutable parameters and mutable tags. Throws `bad_input` if a parameter already has another value. */
export async function saveTrackedValues(
  { pool }: Database,
  runId: string,
  { params, tags }: { params: readonly KeyValue[]; tags: readonly KeyValue[] },
): Promise<void> {
  if (params.length + tags.length === 0) return;
  await inTransaction(pool, async (client) => {
    const sent = [runId, params.map(({ key }) => key), params.map(({ value }) => toStorable(value))];
    await client.query(
      `INSERT INTO tracked_value (run_id, kind, key, value) SELECT $1, 'param', * FROM unnest($2::text[], $3::text[])
       ON CONFLICT DO NOTHING`,
      sent,
    );
    const [other] = await readRows(client, z.object({ key: z.string(), value: z.string(), sent: z.string() }), {
      sql: `SELECT key, value, sent FROM tracked_value JOIN unnest($2::text[], $3::text[]) AS given(name, sent) ON name = key
       WHERE run_id = $1 AND kind = 'param' AND value <> sent`,
      values: sent,
    });
    if (other) {
      const problem = `parameter ${other.key} of run ${runId} is ${other.value} and cannot become ${other.sent}`;
      throw new AppError("bad_input", problem);
    }
    for (const tag of tags) await saveTracked({ pool: client }, runId, { kind: "tag", ...tag });
  });
}

const Target = z.object({ attemptId: z.number(), folder: z.string(), stage: z.enum(["active", "deleted"]) });

export async function findLogTarget({ pool }: Database, runId: string): Promise<z.infer<typeof Target> | undefined> {
  const [target] = await readRows(pool, Target, {
    sql: `SELECT attempt.id AS "attemptId", folder,
       CASE WHEN EXISTS (SELECT FROM tracked_value WHERE run_id = run.id AND kind = 'stage') THEN 'deleted' ELSE 'active' END
         AS stage
     FROM run JOIN sweep ON sweep.id = sweep_id JOIN attempt ON run_id = run.id WHERE run.id = $1 AND origin = 'tracking'`,
    values: [runId],
  });
  return target;
}

const TrackedPosition = z.object({
  attemptId: z.number(),
  logOffset: z.number(),
  lastSeq: z.number(),
  numMetricLines: z.number(),
});
export type TrackedPosition = z.infer<typeof TrackedPosition>;

export async function readPositions({ pool }: Pooled, attemptIds: readonly number[]): Promise<TrackedPosition[]> {
  return readRows(pool, TrackedPosition, {
    sql: `SELECT id AS "attemptId", log_offset::float8 AS "logOffset", last_seq AS "lastSeq", num_metric_lines AS "numMetricLines"
     FROM attempt WHERE id = ANY($1)`,
    values: [attemptIds],
  });
}

export async function readOriginals({ pool }: Database, runId: string): Promise<Record<string, string>> {
  const rows = await readRows(pool, z.object({ key: z.string(), original: z.string() }), {
    sql: "SELECT key, original FROM metric_alias WHERE run_id = $1",
    values: [runId],
  });
  return Object.fromEntries(rows.map(({ key, original }) => [key, original]));
}

/** Reads every reported attempt, with the position up to which its log is stored in the database. */
export async function listTrackedLogs({ pool }: Database) {
  return readRows(pool, z.object({ attemptId: z.number(), folder: z.string(), logOffset: z.number() }), {
    sql: `SELECT attempt.id AS "attemptId", folder, log_offset::float8 AS "logOffset"
     FROM attempt JOIN run ON run.id = run_id JOIN sweep ON sweep.id = sweep_id WHERE origin = 'tracking'`,
  });
}

/** Stores a parameter or tag of a run; a later value of the same kind and key replaces it. */
export async function saveTracked(
  { pool }: { pool: Pool | PoolClient },
  runId: string,
  { kind, key, value }: TrackedValue,
): Promise<void> {
  await pool.query(
    `INSERT INTO tracked_value (run_id, kind, key, value) VALUES ($1, $2, $3, $4)
     ON CONFLICT (run_id, kind, key) DO UPDATE SET value = excluded.value`,
    [runId, kind, key, toStorable(value)],
  );
}

export async function deleteTracked(
  { pool }: Database,
  runId: string,
  { kind, key }: Omit<TrackedValue, "value">,
): Promise<boolean> {
  const { rowCount } = await pool.query("DELETE FROM tracked_value WHERE (run_id, kind, key) = ($1, $2, $3)", [
    runId,
    kind,
    key,
  ]);
  return rowCount === 1;
}

/** Replaces NUL, which PostgreSQL's text cannot contain. */
function toStorable(text: string): string {
  return text.replaceAll("\0", "␀");
}

/** Status that a user gives to a run without its program. `finished`: it trained its whole budget. */
export type Ending = "finished" | "failed";

const Open = z.object({ status: z.string(), origin: z.string(), attemptId: z.number().nullable() });

/** Ends a run whose program is gone, at its last measurement. A later end from the program replaces this one. */
export async function endTrackedRun({ pool }: Pooled, id: string, { as, by }: { as: Ending; by: string }) {
  const attemptId = await inTransaction(pool, async (client) => {
    const [run] = await readRows(client, Open, {
      sql: `SELECT run.status, sweep.origin, attempt.id AS "attemptId"
       FROM run JOIN sweep ON sweep.id = sweep_id LEFT JOIN attempt ON run_id = run.id WHERE run.id = $1 LIMIT 1 FOR UPDATE OF run`,
      values: [id],
    });
    if (!run) throw new AppError("not_found", `there is no run ${id}`);
    if (isOver(run.status)) throw new AppError("conflict", `run ${id} is over (${run.status})`);
    if (run.origin !== "tracking" || run.attemptId === null) {
      throw new AppError("conflict", `run ${id} is not received from another program: cancel it instead`);
    }
    const reason = as === "finished" ? "elsewhere" : "lost";
    await client.query(
      `WITH changed AS (
         UPDATE run SET status = $2, reason = $3,
           ended_at = greatest(started_at, least(now(), (SELECT last_event_at FROM attempt WHERE id = $4)))
         WHERE id = $1 RETURNING id, sweep_id
       ), event AS (
         INSERT INTO status_event (run_id, attempt, source, status, reason, text) SELECT id, 1, 'user', $2, $3, $5 FROM changed
       )
       SELECT pg_notify('arlarena', json_build_object('sweepId', sweep_id, 'runId', id, 'kind', 'status')::text) FROM changed`,
      [id, as, reason, run.attemptId, `ended ${describeCanceller(by)}`],
    );
    return run.attemptId;
  });
  await compactPoints(pool, attemptId, { isOver: true });
}

type StatusChange = { status: "running" | "finished" | "failed" | "cancelled"; endedAtMs: number | undefined };

export async function setTrackedStatus({ pool }: Database, runId: string, change: StatusChange): Promise<void> {
  const { status, endedAtMs } = change;
  const reasons = { running: null, finished: "elsewhere", failed: "trainer_failed", cancelled: "killed" } as const;
  await pool.query(
    `WITH changed AS (
       UPDATE run SET status = $2, reason = $3,
         ended_at = CASE WHEN $2 = 'running' THEN NULL ELSE greatest(started_at, coalesce(to_timestamp($4::float8 / 1000), now())) END
       WHERE id = $1 RETURNING id, sweep_id, status
     ), event AS (
       INSERT INTO status_event (run_id, attempt, source, status, reason, text)
       SELECT id, 1, 'trainer', status, $3, $5 FROM changed
     )
     SELECT pg_notify('arlarena', json_build_object('sweepId', sweep_id, 'runId', id, 'kind', 'status')::text) FROM changed`,
    [runId, status, reasons[status], endedAtMs ?? null, `the trainer reported ${status}`],
  );
}
