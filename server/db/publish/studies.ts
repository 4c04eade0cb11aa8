import { AppError, groupBy } from "#packages/base";
import { contentHash } from "#trainer/spec/canonical.ts";
import { isOver, type overStatuses, parseRunStatus } from "#server/domain/runs/runStatus.ts";
import { forgetStandings } from "../analysis/detections.ts";
import { readBranchesOf } from "../plan/origins.ts";
import type { Database, Pooled } from "../storage/client.ts";
import { inTransaction, withClient } from "../storage/inTransaction.ts";
import type { Prisma } from "../generated/client.ts";
import { newSweepId, notify } from "../plan/sweeps.ts";

/** Reads sweeps for export, with the stored hashes of tables that use only these sweeps. */
export async function readStudy({ prisma }: Database, sweepIds: readonly string[]) {
  const sweeps = await prisma.sweep.findMany({
    where: { id: { in: [...sweepIds] } },
    include: {
      cells: { orderBy: { index: "asc" } },
      runs: {
        orderBy: [{ cellId: "asc" }, { seed: "asc" }],
        include: { attempts: { orderBy: { number: "asc" } } },
      },
    },
  });
  const proofs = await prisma.tableProof.findMany();
  return {
    sweeps: sweepIds.flatMap((id) => sweeps.filter((sweep) => sweep.id === id)),
    proofs: proofs.filter(({ query }) => {
      const of = sweepsOf(query);
      return of.length > 0 && of.every((id) => sweepIds.some((one) => one === id));
    }),
  };
}

export async function readSweepsOfRuns({ prisma }: Database, runIds: readonly string[]) {
  const id = { in: [...runIds] };
  const runs = {
    where: { id },
    orderBy: { id: "asc" },
    include: { attempts: { orderBy: { number: "asc" } } },
  } as const;
  const sweeps = await prisma.sweep.findMany({
    where: { runs: { some: { id } } },
    orderBy: { id: "asc" },
    include: { runs, cells: { where: { runs: { some: { id } } }, orderBy: { index: "asc" } } },
  });
  return sweeps.map((sweep) => ({ ...sweep, search: undefined }));
}

function sweepsOf(query: Prisma.JsonValue): readonly unknown[] {
  if (typeof query !== "object" || query === null || Array.isArray(query)) return [];
  const { sweepIds } = query;
  return Array.isArray(sweepIds) ? sweepIds : [];
}

export type StudySweep = {
  id: string;
  name: string;
  description: string;
  createdAt: Date;
  plan: Prisma.InputJsonValue;
  planHash: string;
  tags?: string[];
  note?: string;
  isFavourite?: boolean;
  isArchived?: boolean;
  baselineCell?: number | null | undefined;
  cells: readonly {
    index: number;
    method: string;
    label: string;
    spec: Prisma.InputJsonValue;
    specHash: string;
    startHash: string | null;
  }[];
};

/** Creates a recorded sweep without runs. It counts as another trainer's until complete, so nothing is launched. */
export async function createStudySweep({ prisma }: Database, sweep: StudySweep) {
  const { cells, isArchived = false, baselineCell = null, ...data } = sweep;
  const isTaken = (await prisma.sweep.count({ where: { id: sweep.id } })) > 0;
  const id = isTaken ? newSweepId(sweep.name) : sweep.id;
  await prisma.sweep.create({
    data: {
      ...data,
      id,
      baselineCell,
      archivedAt: isArchived ? new Date() : null,
      origin: "import",
      cells: { createMany: { data: [...cells] } },
    },
  });
  const created = await prisma.cell.findMany({ where: { sweepId: id }, select: { id: true, index: true } });
  return { id, cellIds: new Map(created.map((cell) => [cell.index, cell.id])) };
}

/**
 * Creates a sweep of branches' origins, as another trainer's, so nothing is launched. Its own study replaces it.
 * @throws `conflict` if a sweep with this id is here and differs.
 */
export async function createOriginSweep({ prisma }: Database, { cells, ...sweep }: StudySweep) {
  const { id, name, description, createdAt, plan, planHash } = sweep;
  const stored = await prisma.sweep.findUnique({ where: { id }, include: { cells: true } });
  const isNew = stored === null;
  if (isNew)
    await prisma.sweep.create({ data: { id, name, description, createdAt, plan, planHash, origin: "import" } });
  else refuseOther(stored, { ...sweep, cells });
  await prisma.cell.createMany({ data: cells.map((cell) => ({ ...cell, sweepId: id })), skipDuplicates: true });
  const created = await prisma.cell.findMany({ where: { sweepId: id }, select: { id: true, index: true } });
  return { id, isNew, cellIds: new Map(created.map((cell) => [cell.index, cell.id])) };
}

type StoredSweep = Prisma.SweepGetPayload<{ include: { cells: true } }>;

function refuseOther(stored: StoredSweep, { id, plan, planHash, cells }: StudySweep): void {
  if (stored.planHash !== planHash) {
    const [here, there] = [Object.entries(Object(stored.plan)), new Map(Object.entries(Object(plan)))];
    const names = new Set([...here.map(([name]) => name), ...there.keys()]);
    const hereOf = new Map(here);
    const other = [...names].filter((name) => hashOf(hereOf.get(name)) !== hashOf(there.get(name)));
    throw differs(id, `the plan's ${other.join(", ") || "hash"}`);
  }
  for (const { index, method, spec } of cells) {
    const cell = stored.cells.find((one) => one.index === index);
    const name = `cell ${index} (${method})`;
    if (cell === undefined && stored.origin === "plan") throw differs(id, `${name} is in the file only`);
    if (cell && hashOf(cell.spec) !== hashOf(spec)) throw differs(id, `the settings of ${name}`);
  }
}

function hashOf(value: unknown): string {
  return contentHash(value ?? null);
}

function differs(what: string, how: string): AppError {
  const message = `${what} is in this studio already and differs from the file (${how}); nothing was imported, because the file would change it`;
  return new AppError("conflict", message);
}

/**
 * Creates an origin of branches; undefined if it is stored already. Remains of an interrupted import are replaced.
 * @throws `conflict` for a run that would be added to a sweep of this studio, or that ended otherwise here.
 */
export async function createOriginRun(
  database: Database,
  run: StudyRun & Omit<EndedRun, "runId">,
): Promise<string | undefined> {
  const { prisma } = database;
  const { status, reason, ...place } = run;
  const id = studyRunId(run);
  const { origin } = await prisma.sweep.findUniqueOrThrow({ where: { id: run.sweepId }, select: { origin: true } });
  const stored = await prisma.run.findUnique({ where: { id }, select: { status: true, reason: true } });
  if (origin === "plan" && !stored)
    throw differs(run.sweepId, `its run of cell ${run.cell} with seed ${run.seed} is in the file only`);
  if (stored && (origin === "plan" || isOver(parseRunStatus(stored.status)))) {
    if (stored.status === status && stored.reason === reason) return undefined;
    const [here, there] = [stored, { status, reason }].map((end) =>
      [end.status, end.reason].filter(Boolean).join(", "),
    );
    throw differs(id, `${here} here, ${there} in the file`);
  }
  await deleteOpenRuns(database, [id]);
  return createStudyRun(database, place);
}

export async function deleteOpenRuns({ prisma }: Database, ids: readonly string[]): Promise<void> {
  await prisma.run.deleteMany({ where: { id: { in: [...ids] }, status: "running", sweep: { origin: "import" } } });
}

/** Makes the detector judge branches again that it judged before a run that they continue was imported. */
export async function rejudgeBranches({ pool }: Database, runIds: readonly string[]): Promise<void> {
  const branches = await readBranchesOf(pool, runIds);
  if (branches.length > 0) await inTransaction(pool, (client) => forgetStandings(client, branches));
}

/** Counts how many of these sweeps are stored completely. */
export async function findSweeps({ prisma }: Database, ids: readonly string[]): Promise<number> {
  return prisma.sweep.count({ where: { id: { in: [...ids] }, origin: "plan" } });
}

/** True if an interrupted import left this sweep behind: a complete import changes the sweep's `origin`. */
export async function isHalfStudy(
  { prisma }: Database,
  { id, planHash }: Pick<StudySweep, "id" | "planHash">,
): Promise<boolean> {
  return (await prisma.sweep.count({ where: { id, planHash, origin: "import" } })) > 0;
}

export type StudyRun = {
  sweepId: string;
  cell: number;
  cellId: number;
  seed: number;
  addedAt?: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  tags?: string[];
  note?: string;
  isFavourite?: boolean;
  isArchived?: boolean;
};

/** Creates a run of a recorded sweep. Its status is `running` until its log is applied. Returns the run's id. */
export async function createStudyRun(
  { prisma }: Database,
  { cell, isArchived = false, ...run }: StudyRun,
): Promise<string> {
  const id = studyRunId({ ...run, cell });
  await prisma.run.create({ data: { ...run, id, status: "running", archivedAt: isArchived ? new Date() : null } });
  return id;
}

function studyRunId({ sweepId, cell, seed }: Pick<StudyRun, "sweepId" | "cell" | "seed">): string {
  return `${sweepId}-c${cell}-s${seed}`;
}

export type StudyAttempt = {
  runId: string;
  number: number;
  node: string;
  folder: string;
  createdAt: Date;
  endedAt: Date | null;
  reason: string | null;
};

export async function createStudyAttempt({ prisma }: Database, attempt: StudyAttempt): Promise<number> {
  const jobId = `${attempt.runId}.${attempt.number}`;
  if ((await prisma.attempt.count({ where: { jobId } })) > 0) {
    throw new AppError("conflict", `the attempt ${jobId} is in the file twice, or in this studio already`);
  }
  const { id } = await prisma.attempt.create({ data: { ...attempt, jobId, live: false, jobState: "elsewhere" } });
  return id;
}

type EndedRun = { runId: string; status: (typeof overStatuses)[number]; reason: string | null };

/** Completes an import: restores the status of the runs and, if given, the sweep's `intent`. */
export async function finishStudySweep(
  { prisma }: Database,
  { id, runs, intent }: { id: string; runs: readonly EndedRun[]; intent?: "run" | "cancel" },
): Promise<void> {
  await prisma.$transaction(async (db) => {
    const text = "imported from a recorded study";
    await db.statusEvent.createMany({ data: runs.map((run) => ({ ...run, source: "user", text })) });
    // Most runs ended alike, so a statement for all of them saves nearly one for each run.
    for (const alike of groupBy(runs, ({ status, reason }) => JSON.stringify([status, reason])).values()) {
      const [first] = alike;
      if (first === undefined) continue;
      const id = { in: alike.map(({ runId }) => runId) };
      await db.run.updateMany({ where: { id }, data: { status: first.status, reason: first.reason } });
    }
    const whole = intent && { origin: "plan", intent };
    await db.sweep.update({ where: { id }, data: { importedAt: new Date(), ...whole } });
    await notify(db, { sweepId: id, kind: "sweep" });
  });
}

/** Key of the lock for study imports, unique among the advisory locks of the database. */
const lockKey = 4_127_003;

/** Imports one study at a time. Throws `conflict` if another process has the lock; a killed process releases it. */
export async function withStudyLock<T>({ pool }: Pooled, work: () => Promise<T>): Promise<T> {
  return await withClient(pool, async (client) => {
    const { rows } = await client.query<{ taken: boolean }>("SELECT pg_try_advisory_lock($1) AS taken", [lockKey]);
    if (rows[0]?.taken !== true) {
      throw new AppError("conflict", "another recorded study is being imported: try again when it is complete");
    }
    try {
      return await work();
    } finally {
      await client.query("SELECT pg_advisory_unlock($1)", [lockKey]);
    }
  });
}
