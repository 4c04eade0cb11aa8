import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
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
import { refuseUnstorableRuns } from "#server/domain/import/refuseUnstorableRuns.ts";
import { toEventLog } from "#server/domain/import/toEventLog.ts";
import { drainLog } from "#server/ingest/drainLog.ts";
import { maxLineBytes } from "#server/ingest/parseLines.ts";
import { read } from "./formParts.ts";

/** A file by its name; its bytes are read when they are needed, and may be read twice. */
export type GivenFile = { name: string; read: () => Promise<Uint8Array> };
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

export type Previewed = { numCells: number; numRuns: number; notes: readonly string[] };

/** What these files would become, without storing anything. */
export async function previewImport(database: Database, { files, wishes }: ImportRequest): Promise<Previewed> {
  const { fresh, known } = await sortOut(database, files);
  const { cells, runs, notes } = planImport(
    fresh.map(({ named }) => named),
    wishes,
  );
  return { numCells: cells.length, numRuns: runs.length, notes: [...known, ...notes] };
}

async function sortOut(database: Database, files: readonly GivenFile[]) {
  if (files.length === 0) throw badInput([{ path: "files", message: "there is no file to import" }]);
  // One after the other, here and below: together they may be larger than what memory is for.
  const hashes: string[] = [];
  for (const file of files)
    hashes.push(
      createHash("sha256")
        .update(await file.read())
        .digest("hex"),
    );
  const imported = await findImported(database, hashes);
  const known: string[] = [];
  const fresh: { identity: FileIdentity; named: NamedFile }[] = [];
  for (const [i, { name, read }] of files.entries()) {
    const hash = hashes[i] ?? "";
    const before = imported.get(hash);
    const twin = fresh.find(({ identity }) => identity.hash === hash);
    if (before) known.push(`${name}: was imported before, into ${before.sweepName} (${before.sweepId})`);
    else if (twin) known.push(`${name}: has the same content as ${twin.identity.name}`);
    else {
      const fileName = basename(name);
      const bytes = await read();
      const file = readForeignFile(fileName, bytes);
      refuseUnstorableRuns(fileName, file.runs);
      const identity = { hash, name: fileName, format: file.format, sizeBytes: bytes.length };
      fresh.push({ identity, named: { fileName: name, file } });
    }
  }
  if (fresh.length === 0) throw new AppError("conflict", known.join("\n"));
  return { fresh, known };
}

async function writeLog(database: Database, { attemptId, folder, run }: ForeignAttempt): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, "events.jsonl");
  const lines = toEventLog(run, { specHash: "imported", code: "imported", atMs: Date.now() });
  await pipeline(Readable.from(inBlocks(lines)), createWriteStream(path));
  const storage = { pool: database.pool, metricIds: makeMetricIds(database.pool) };
  let position = { attemptId, logOffset: 0, lastSeq: -1, numMetricLines: 0 };
  const file = await open(path);
  try {
    const readLog = (fromByte: number) => read(file, fromByte, maxLineBytes);
    // A drain is bounded; a long file takes several.
    while (!(await drainLog(storage, position, { readLog, hasEnded: true }))) {
      const { logOffset, lastSeq, numMetricLines } = await database.prisma.attempt.findUniqueOrThrow({
        where: { id: attemptId },
      });
      if (Number(logOffset) === position.logOffset) {
        throw new AppError("internal", `the log of ${folder} is not read on`);
      }
      position = { attemptId, logOffset: Number(logOffset), lastSeq, numMetricLines };
    }
  } finally {
    await file.close();
  }
}

/** Lines as texts of about 64 kB: a write a line would take most of an import's time. */
function* inBlocks(lines: Iterable<string>): Generator<string> {
  let block: string[] = [];
  let length = 0;
  for (const line of lines) {
    block.push(line);
    length += line.length;
    if (length < 1 << 16) continue;
    yield block.join("");
    [block, length] = [[], 0];
  }
  yield block.join("");
}

function describeFiles(names: readonly string[]): string {
  const [first = ""] = names;
  return names.length === 1 ? first.slice(0, 80) : `${first.slice(0, 60)} and ${names.length - 1} more`;
}
