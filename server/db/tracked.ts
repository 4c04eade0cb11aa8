import { AppError } from "../domain/errors.ts";
import type { KeyValue, TrackedExperiment } from "../domain/mlflow/store.ts";
import type { ImportedSpec } from "../domain/import/storedSpec.ts";
import { parseRunStatus, type RunStatus } from "../domain/runStatus.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import type { Database } from "./client.ts";
import { inTransaction } from "./inTransaction.ts";

type Experiment = { id: string; name: string; createdAt: Date };

export async function listTrackedSweeps({ prisma }: Database): Promise<TrackedExperiment[]> {
  const select = { id: true, name: true, createdAt: true };
  const sweeps = await prisma.sweep.findMany({ where: { origin: "tracking" }, select, orderBy: { createdAt: "desc" } });
  return sweeps.map(toExperiment);
}

export async function findTrackedSweep(
  { prisma }: Database,
  wanted: { name: string } | { id: string },
): Promise<TrackedExperiment | undefined> {
  const where = { origin: "tracking", ...wanted };
  const sweep = await prisma.sweep.findFirst({ where, select: { id: true, name: true, createdAt: true } });
  return sweep ? toExperiment(sweep) : undefined;
}

function toExperiment({ id, name, createdAt }: Experiment): TrackedExperiment {
  return { id, name, createdAtMs: createdAt.getTime() };
}

export type NewRun = {
  sweepId: string;
  identity: { method: string; environment: string; seed: number | undefined };
  label: string;
  spec: ImportedSpec;
  folderOf: (runId: string) => string;
  startedAtMs: number;
  values: readonly (KeyValue & { kind: "param" | "tag" })[];
};

/** A run of the sweep's cell of that method and environment, with the seed it names or the next free one. */
export async function createTrackedRun({ pool }: Database, run: NewRun): Promise<string> {
  const { sweepId, identity, label, spec, folderOf, startedAtMs, values } = run;
  return await inTransaction(pool, async (client) => {
    // Runs begin one after the other: each must see the seeds and cells of the one before.
    const sweeps = await client.query("SELECT FROM sweep WHERE id = $1 AND origin = 'tracking' FOR UPDATE", [sweepId]);
    if (sweeps.rowCount !== 1) throw new AppError("not_found", `there is no experiment ${sweepId}`);
    const cells = await client.query<{ id: number; index: number }>(
      "SELECT id, index FROM cell WHERE sweep_id = $1 AND method = $2 AND spec->'environment'->>'id' = $3",
      [sweepId, identity.method, identity.environment],
    );
    const made = await client.query<{ id: number; index: number }>(
      `INSERT INTO cell (sweep_id, index, method, label, spec, spec_hash)
       SELECT $1, coalesce(max(index) + 1, 0), $2, $3, $4, $5 FROM cell WHERE sweep_id = $1 AND $6::int IS NULL
       HAVING $6::int IS NULL RETURNING id, index`,
      [sweepId, identity.method, label, JSON.stringify(spec), contentHash(spec), cells.rows[0]?.id ?? null],
    );
    const cell = cells.rows[0] ?? made.rows[0];
    if (cell === undefined) throw new AppError("internal", `no cell for a run of experiment ${sweepId}`);
    const taken = await client.query<{ seed: number }>("SELECT seed FROM run WHERE cell_id = $1", [cell.id]);
    const seed = chooseSeed(identity.seed, new Set(taken.rows.map((row) => row.seed)));
    const runId = `${sweepId}-c${cell.index}-s${seed}`;
    await client.query(
      `INSERT INTO run (id, sweep_id, cell_id, seed, status, started_at)
       VALUES ($1, $2, $3, $4, 'running', to_timestamp($5::float8 / 1000))`,
      [runId, sweepId, cell.id, seed, startedAtMs],
    );
    await client.query(
      `INSERT INTO attempt (run_id, number, job_id, node, folder, live, job_state)
       VALUES ($1, 1, $2, 'tracking', $3, false, 'elsewhere')`,
      [runId, `${runId}.1`, folderOf(runId)],
    );
    for (const { kind, key, value } of values) {
      const row = [runId, kind, key, value];
      await client.query(
        "INSERT INTO tracked_value (run_id, kind, key, value) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        row,
      );
    }
    await client.query("SELECT pg_notify('arlarena', $1)", [JSON.stringify({ sweepId, kind: "sweep" })]);
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
  startedAt: Date | null;
  endedAt: Date | null;
  folder: string;
  position: { attemptId: number; logOffset: number; lastSeq: number; numMetricLines: number };
  params: readonly KeyValue[];
  tags: readonly KeyValue[];
};

/** Tracked runs of some experiments, or one alone, the newest first. */
export async function readTrackedRuns(
  { prisma }: Database,
  where: { id: string } | { sweepId: { in: string[] } },
): Promise<TrackedRunRow[]> {
  const runs = await prisma.run.findMany({
    where: { ...where, sweep: { origin: "tracking" } },
    include: { tracked: { orderBy: { key: "asc" } }, attempts: true, cell: { select: { method: true } } },
    orderBy: [{ createdAt: "desc" }, { id: "asc" }],
  });
  return runs.flatMap((run) => {
    const [attempt] = run.attempts;
    if (!attempt) return [];
    const { id: attemptId, logOffset, lastSeq, numMetricLines, folder } = attempt;
    const pairs = (kind: string) =>
      run.tracked.filter((value) => value.kind === kind).map(({ key, value }) => ({ key, value }));
    return [
      {
        id: run.id,
        sweepId: run.sweepId,
        seed: run.seed,
        method: run.cell.method,
        status: parseRunStatus(run.status),
        startedAt: run.startedAt,
        endedAt: run.endedAt,
        folder,
        position: { attemptId, logOffset: Number(logOffset), lastSeq, numMetricLines },
        params: pairs("param"),
        tags: pairs("tag"),
      },
    ];
  });
}

/** Adds parameters, which never change, and tags, which may. A parameter of another value is a conflict. */
export async function saveTrackedValues(
  { pool }: Database,
  runId: string,
  { params, tags }: { params: readonly KeyValue[]; tags: readonly KeyValue[] },
): Promise<void> {
  if (params.length + tags.length === 0) return;
  await inTransaction(pool, async (client) => {
    await client.query(
      `INSERT INTO tracked_value (run_id, kind, key, value) SELECT $1, 'param', * FROM unnest($2::text[], $3::text[])
       ON CONFLICT DO NOTHING`,
      [runId, params.map(({ key }) => key), params.map(({ value }) => toStorable(value))],
    );
    const { rows } = await client.query<{ key: string; value: string; sent: string }>(
      `SELECT key, value, sent FROM tracked_value JOIN unnest($2::text[], $3::text[]) AS given(name, sent) ON name = key
       WHERE run_id = $1 AND kind = 'param' AND value <> sent`,
      [runId, params.map(({ key }) => key), params.map(({ value }) => toStorable(value))],
    );
    const [other] = rows;
    if (other) {
      const said = `parameter ${other.key} of run ${runId} is ${other.value} and cannot become ${other.sent}`;
      throw new AppError("bad_input", said);
    }
    for (const { key, value } of tags) {
      await client.query(
        `INSERT INTO tracked_value (run_id, kind, key, value) VALUES ($1, 'tag', $2, $3)
         ON CONFLICT (run_id, kind, key) DO UPDATE SET value = excluded.value`,
        [runId, key, toStorable(value)],
      );
    }
  });
}

/** PostgreSQL's text has no NUL. */
function toStorable(text: string): string {
  return text.replaceAll("\0", "␀");
}

type StatusChange = { status: "running" | "finished" | "failed" | "cancelled"; endedAtMs: number | undefined };

/** What the trainer says of its run's state. */
export async function setTrackedStatus({ pool }: Database, runId: string, change: StatusChange): Promise<void> {
  const { status, endedAtMs } = change;
  const reasons = { running: null, finished: "elsewhere", failed: "trainer_failed", cancelled: "killed" } as const;
  await pool.query(
    `WITH changed AS (
       UPDATE run SET status = $2, reason = $3,
         ended_at = CASE WHEN $2 = 'running' THEN NULL ELSE coalesce(to_timestamp($4::float8 / 1000), now()) END
       WHERE id = $1 RETURNING id, sweep_id, status
     ), event AS (
       INSERT INTO status_event (run_id, attempt, source, status, reason, text)
       SELECT id, 1, 'trainer', status, $3, $5 FROM changed
     )
     SELECT pg_notify('arlarena', json_build_object('sweepId', sweep_id, 'runId', id, 'kind', 'status')::text) FROM changed`,
    [runId, status, reasons[status], endedAtMs ?? null, `the trainer reported ${status}`],
  );
}
