import { AppError } from "#packages/base";
import type { ImportPlan } from "#server/domain/trainers/import/planImport.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import type { Database } from "../storage/client.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { compactPoints } from "../runs/pointWrites.ts";
import { notifySweep } from "../plan/planned.ts";
import { newSweepId } from "../plan/sweeps.ts";
import { reserveName } from "./tracked.ts";

/** Imported file, identified by the SHA-256 of its bytes and a hash of its path (`hash`). */
export type FileIdentity = { hash: string; name: string; format: string; sizeBytes: number };

export async function findImported(
  { prisma }: Database,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, { sweepId: string; sweepName: string }>> {
  const found = await prisma.importedFile.findMany({
    where: { hash: { in: [...hashes] } },
    select: { hash: true, sweep: { select: { id: true, name: true } } },
  });
  return new Map(found.map(({ hash, sweep }) => [hash, { sweepId: sweep.id, sweepName: sweep.name }]));
}

export type ForeignAttempt = { runId: string; attemptId: number; folder: string };

type NewSweep = {
  name: string;
  description: string;
  plan: { cells: ImportPlan["cells"]; runs: readonly Pick<ImportPlan["runs"][number], "cellIndex" | "seed">[] };
  folderOf: (runId: string) => string;
  /** Finished runs that were imported, or runs that external programs report while they train. */
  origin: "import" | "tracking";
  id?: string;
};

/** Creates a sweep of an external trainer's runs. Throws `conflict` if a tracked sweep has its name. */
export async function createForeignSweep({ prisma }: Database, sweep: NewSweep) {
  const { name, description, plan, folderOf, origin } = sweep;
  const { id = newSweepId(name) } = sweep;
  const frozen = { v: 1, name, cells: plan.cells.map(({ spec }) => spec) };
  const attempts: ForeignAttempt[] = [];
  await prisma.$transaction(async (db) => {
    if (origin === "tracking") await reserveName(db, name);
    const planHash = contentHash(frozen);
    const importedAt = origin === "import" ? new Date() : null;
    await db.sweep.create({ data: { id, name, description, plan: frozen, planHash, origin, importedAt } });
    const cellIds: number[] = [];
    for (const [index, { method, label, spec }] of plan.cells.entries()) {
      const data = { sweepId: id, index, method, label, spec, specHash: contentHash(spec) };
      cellIds.push((await db.cell.create({ data })).id);
    }
    for (const { cellIndex, seed } of plan.runs) {
      const runId = `${id}-c${cellIndex}-s${seed}`;
      const folder = folderOf(runId);
      const data = { id: runId, sweepId: id, cellId: cellIds[cellIndex] ?? -1, seed, status: "running" };
      await db.run.create({ data });
      const attempt = { runId, number: 1, jobId: `${runId}.1`, node: origin, folder, live: false };
      const { id: attemptId } = await db.attempt.create({ data: { ...attempt, jobState: "elsewhere" } });
      attempts.push({ runId, attemptId, folder });
    }
  });
  return { id, attempts };
}

type Finished = Pick<ForeignAttempt, "runId" | "attemptId"> & {
  startedAtMs: number | null;
  endedAtMs: number | null;
  config: Readonly<Record<string, string>>;
  /** True for a run with at least one training iteration; a run without iterations has failed. */
  hasSteps: boolean;
};

/** Marks imported runs and files as finished. Throws `conflict` if another import has recorded one of the files. */
export async function finishImport(
  { pool }: Database,
  { sweepId, runs, files }: { sweepId: string; runs: readonly Finished[]; files: readonly FileIdentity[] },
): Promise<void> {
  for (const { attemptId } of runs) await compactPoints(pool, attemptId, { isOver: true });
  await inTransaction(pool, async (client) => {
    // Rows are inserted in the order of their hashes, so that concurrent imports of the same files cannot deadlock.
    const { rowCount } = await client.query(
      `INSERT INTO imported_file (hash, sweep_id, name, format, size_bytes)
       SELECT hash, $1, name, format, "sizeBytes"
       FROM jsonb_to_recordset($2) AS f(hash text, name text, format text, "sizeBytes" bigint) ORDER BY hash
       ON CONFLICT DO NOTHING`,
      [sweepId, JSON.stringify(files)],
    );
    if (rowCount !== files.length)
      throw new AppError("conflict", "another person is importing one of these files at this moment");
    for (const { runId, attemptId, startedAtMs, endedAtMs, config, hasSteps } of runs) {
      const [status, reason] = hasSteps ? ["finished", "elsewhere"] : ["failed", "trainer_failed"];
      const times = [runId, startedAtMs, endedAtMs, status, reason];
      await client.query(
        `UPDATE run SET status = $4, reason = $5, started_at = to_timestamp($2::float8 / 1000),
           ended_at = to_timestamp($3::float8 / 1000) WHERE id = $1`,
        times,
      );
      await client.query(
        `INSERT INTO tracked_value (run_id, kind, key, value)
         SELECT $1, 'param', key, value FROM jsonb_each_text($2) ON CONFLICT DO NOTHING`,
        [runId, JSON.stringify(config)],
      );
      await client.query("UPDATE attempt SET ended_at = now() WHERE id = $1", [attemptId]);
      await client.query(
        `INSERT INTO status_event (run_id, attempt, source, status, reason, text)
         VALUES ($1, 1, 'user', $2, $3, $4)`,
        [runId, status, reason, hasSteps ? "imported" : "imported: its log ends before the first step of training"],
      );
    }
    await notifySweep(client, sweepId);
  });
}
