import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Database } from "#server/db/client.ts";
import {
  createForeignSweep,
  findImported,
  finishImport,
  type FileIdentity,
  type ForeignAttempt,
} from "#server/db/imports.ts";
import { makeMetricIds } from "#server/db/pointWrites.ts";
import { deleteSweep } from "#server/db/sweeps.ts";
import { AppError, badInput } from "#server/domain/errors.ts";
import { foreignFormats } from "#server/domain/import/foreignRun.ts";
import { nameFile } from "#server/domain/import/nameFile.ts";
import { planImport, type ImportWishes, type NamedFile } from "#server/domain/import/planImport.ts";
import { readForeignFile } from "#server/domain/import/readForeignFile.ts";
import { toEventLog } from "#server/domain/import/toEventLog.ts";
import { drainLog } from "#server/ingest/drainLog.ts";

export type GivenFile = { name: string; bytes: Uint8Array };
export type ImportRequest = { files: readonly GivenFile[]; wishes: ImportWishes; name?: string | undefined };

export type Imported = { sweepId: string; name: string; numCells: number; numRuns: number; notes: readonly string[] };

/**
 * Finished runs of other trainers become a sweep: their files are written down as event logs and read like our own. A
 * file that was imported before is left out and named; when nothing else is given, that is a conflict.
 */
export async function importFiles(database: Database, home: string, request: ImportRequest): Promise<Imported> {
  const { fresh, known } = await sortOut(database, request.files);
  const plan = planImport(
    fresh.map(({ named }) => named),
    request.wishes,
  );
  const name = request.name ?? `imported ${describeFiles(fresh.map(({ named }) => nameFile(named.fileName).name))}`;
  const folderOf = (runId: string) => join(home, "runs", runId, "1");
  const formats = [...new Set(fresh.map(({ named }) => foreignFormats[named.file.format]))].join(", ");
  const description = `Runs of another trainer, read from: ${formats}.`;
  const sweep = await createForeignSweep(database, { name, description, plan, folderOf, origin: "import" });
  try {
    const runs = [];
    for (const attempt of sweep.attempts) {
      await writeLog(database, attempt);
      const { points } = attempt.run;
      runs.push({ ...attempt, startedAtMs: points[0]?.atMs ?? null, endedAtMs: points.at(-1)?.atMs ?? null });
    }
    await finishImport(database, { sweepId: sweep.id, runs, files: fresh.map(({ identity }) => identity) });
  } catch (error) {
    // Half an import would look like a whole one.
    await deleteSweep(database, sweep.id);
    for (const { runId } of sweep.attempts) await rm(join(home, "runs", runId), { recursive: true, force: true });
    throw error;
  }
  const { cells, runs, notes } = plan;
  return { sweepId: sweep.id, name, numCells: cells.length, numRuns: runs.length, notes: [...known, ...notes] };
}

async function sortOut(database: Database, files: readonly GivenFile[]) {
  if (files.length === 0) throw badInput([{ path: "files", message: "there is no file to import" }]);
  const hashed = files.map((file) => ({ ...file, hash: createHash("sha256").update(file.bytes).digest("hex") }));
  const imported = await findImported(
    database,
    hashed.map(({ hash }) => hash),
  );
  const known: string[] = [];
  const fresh: { identity: FileIdentity; named: NamedFile }[] = [];
  for (const { name, bytes, hash } of hashed) {
    const before = imported.get(hash);
    const twin = fresh.find(({ identity }) => identity.hash === hash);
    if (before) known.push(`${name}: was imported before, into ${before.sweepName} (${before.sweepId})`);
    else if (twin) known.push(`${name}: has the same content as ${twin.identity.name}`);
    else {
      const file = readForeignFile(basename(name), bytes);
      const identity = { hash, name: basename(name), format: file.format, sizeBytes: bytes.length };
      fresh.push({ identity, named: { fileName: name, file } });
    }
  }
  if (fresh.length === 0) throw new AppError("conflict", known.join("\n"));
  return { fresh, known };
}

async function writeLog(database: Database, { attemptId, folder, run }: ForeignAttempt): Promise<void> {
  await mkdir(folder, { recursive: true });
  const text = toEventLog(run, { specHash: "imported", code: "imported", atMs: Date.now() });
  await writeFile(join(folder, "events.jsonl"), text);
  const bytes = new TextEncoder().encode(text);
  const readLog = async (fromByte: number) => bytes.subarray(fromByte, fromByte + chunkBytes);
  const storage = { pool: database.pool, metricIds: makeMetricIds(database.pool) };
  let position = { attemptId, logOffset: 0, lastSeq: -1, numMetricLines: 0 };
  // A drain is bounded; a long file takes several.
  while (!(await drainLog(storage, position, { readLog, hasEnded: true }))) {
    const { logOffset, lastSeq, numMetricLines } = await database.prisma.attempt.findUniqueOrThrow({
      where: { id: attemptId },
    });
    if (Number(logOffset) === position.logOffset) throw new AppError("internal", `the log of ${folder} is not read on`);
    position = { attemptId, logOffset: Number(logOffset), lastSeq, numMetricLines };
  }
}

const chunkBytes = 1 << 20;

function describeFiles(names: readonly string[]): string {
  const [first = ""] = names;
  return names.length === 1 ? first.slice(0, 80) : `${first.slice(0, 60)} and ${names.length - 1} more`;
}
