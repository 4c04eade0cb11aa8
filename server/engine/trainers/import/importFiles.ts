import { tryJson } from "#trainer/spec/tryJson.ts";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Database } from "#server/db/storage/client.ts";
import { createForeignSweep, findImported, finishImport, type ForeignAttempt } from "#server/db/trainers/imports.ts";
import { deleteSweep } from "#server/db/plan/sweeps.ts";
import { AppError, badInput, findUnstorable, formatCount } from "#packages/base";
import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { listFormats, noMeasurements } from "#server/domain/trainers/import/readForeignFile.ts";
import { foreignFormats, type ForeignFormat, type LeftOut } from "#server/domain/trainers/import/foreignRun.ts";
import { isSettingsFile, nameFile } from "#server/domain/trainers/import/nameFile.ts";
import type { ImportOptions } from "#server/domain/trainers/import/planImport.ts";
import { type EqualFile, identify, sayEqual, sortOut } from "#server/domain/trainers/import/sortOut.ts";
import { drainFile } from "#server/engine/ingest/drainLog.ts";
import { z } from "zod";
import { hashGiven, type GivenFile } from "./givenFile.ts";
import { groupFiles } from "#trainer/spec/keptGroup.ts";
import { episodesPath, groupsPath, logPath, type ReadImport, type ReadRequest } from "./readImport.ts";

export type ImportRequest = {
  files: readonly GivenFile[];
  options: ImportOptions;
  name?: string | undefined;
  /** Function that reads the files: `readImport` in this process or in a separate one. */
  read: (request: ReadRequest) => Promise<ReadImport>;
};

export type Imported = {
  sweepId: string;
  name: string;
  numCells: number;
  numRuns: number;
  left: readonly LeftOut[];
  notes: readonly string[];
};

/**
 * Imports external trainers' finished runs as a sweep. Other and already imported files are skipped with a note.
 * @throws `bad_input` or `conflict` if no file is left.
 */
export async function importFiles(database: Database, home: string, request: ImportRequest): Promise<Imported> {
  const { files, read } = request;
  const { fresh, left, equal } = await findFresh(files, database);
  if (!fresh.some(({ given }) => !isSettingsFile(given.name)) && left.length > 0)
    throw new AppError("conflict", sayLeft(left).join("\n"));
  const options = await withRemembered(home, request.options);
  const logs = join(home, "uploads", randomUUID());
  await mkdir(logs, { recursive: true, mode: 0o700 });
  try {
    const plan = await read({ files: fresh.map(({ given }) => given), options, logs });
    if (plan.runs.length === 0) throw new AppError("bad_input", explainAll(plan.left));
    const taken = fresh.flatMap((one, i) => {
      const format = plan.formats[i] ?? null;
      return format === null ? [] : [{ ...one, format }];
    });
    const name = request.name ?? `Imported: ${describeFiles(taken.map(({ given }) => nameFile(given.name).name))}`;
    const sweepId = await store(database, { home, name, taken, plan, logs });
    await rememberNames(home, request.options.chosen ?? {});
    const all = { left: [...left, ...plan.left], notes: [...sayEqual(equal), ...plan.notes] };
    return { sweepId, name, numCells: plan.cells.length, numRuns: plan.runs.length, ...all };
  } finally {
    await rm(logs, { recursive: true, force: true });
  }
}

type TakenFile = FreshFile & { format: ForeignFormat };
type Stored = { home: string; name: string; taken: readonly TakenFile[]; plan: ReadImport; logs: string };

async function store(database: Database, { home, name, taken, plan, logs }: Stored): Promise<string> {
  const folderOf = (runId: string) => join(home, "runs", runId, "1");
  const formats = [...new Set(taken.map(({ format }) => foreignFormats[format]))].join(", ");
  const description = `Runs of another trainer, read from: ${formats}.`;
  const sweep = await createForeignSweep(database, { name, description, plan, folderOf, origin: "import" });
  try {
    for (const [i, attempt] of sweep.attempts.entries()) {
      await takeLog(database, attempt, logPath(logs, i));
      await takeEpisodes(attempt, episodesPath(logs, i));
      await takeGroups(attempt, groupsPath(logs, i));
    }
    const runs = sweep.attempts.map(({ runId, attemptId }, i) => {
      const { startedAtMs = null, endedAtMs = null, config = {}, hasSteps = true } = plan.runs[i] ?? {};
      // A setting that the database cannot store is left out, and the run is imported without it.
      const storable = Object.entries(config).filter((setting) => !findUnstorable(setting));
      return { runId, attemptId, startedAtMs, endedAtMs, config: Object.fromEntries(storable), hasSteps };
    });
    const identities = taken.map(({ hash, format, given: { name, start, end } }) => {
      return { hash, name: basename(name), format, sizeBytes: end - start };
    });
    await finishImport(database, { sweepId: sweep.id, runs, files: identities });
    return sweep.id;
  } catch (error) {
    // A partly imported sweep would look complete, so it is deleted.
    await deleteSweep(database, sweep.id);
    for (const { runId } of sweep.attempts) await rm(join(home, "runs", runId), { recursive: true, force: true });
    throw error;
  }
}

export type PreviewedRun = Pick<ReadImport["runs"][number], "id" | "name" | "seed" | "files" | "lastStep" | "last"> & {
  method: string;
  environment: string;
  /** Number of steps with measurements. */
  steps: number;
};

/** Preview of an import. `columns`: metric names in the files and the studio's metrics to which they are mapped. */
export type Previewed = Pick<ReadImport, "columns" | "left" | "notes"> & {
  numCells: number;
  numRuns: number;
  runs: readonly PreviewedRun[];
  /** Files whose content equals that of another: the user says if they are copies. */
  equal: readonly EqualFile[];
};

/** Without a database, files that were imported before are not recognised. */
export async function previewImport(
  database: Database | undefined,
  home: string,
  request: ImportRequest,
): Promise<Previewed> {
  const { fresh, left, equal } = await findFresh(request.files, database);
  const options = await withRemembered(home, request.options);
  const plan = await request.read({ files: fresh.map(({ given }) => given), options });
  const runs = plan.runs.map(({ id, name, cellIndex, seed, numSteps, lastStep, files, last }) => {
    const { method = "", spec } = plan.cells[cellIndex] ?? {};
    const environment = spec ? nameOfEnvironment(spec.environment) : "";
    return { id, name, method, environment, seed, steps: numSteps, lastStep, files, last };
  });
  return {
    numCells: plan.cells.length,
    numRuns: runs.length,
    runs,
    left: [...left, ...plan.left],
    notes: plan.notes,
    equal,
    columns: plan.columns,
  };
}

/** Formats each file that is left out, with the reason. */
export function sayLeft(left: readonly LeftOut[]): string[] {
  return left.map(({ file, reason }) => `left out: ${file}: ${reason}`);
}

const maxListed = 20;

/** Joins the reasons of refusal; if a format is unknown, the readable formats are listed too. */
function explainAll(left: readonly LeftOut[]): string {
  const numMore = left.length - maxListed;
  const isUnknown = left.some(({ reason }) => reason === noMeasurements);
  return [
    ...left.slice(0, maxListed).map(({ file, reason }) => `${file}: ${reason}`),
    ...(numMore > 0 ? [`and ${numMore} more files`] : []),
    ...(isUnknown ? [listFormats()] : []),
  ].join("\n");
}

/** Merges the metric choices of earlier imports into these options. Choices in the options take precedence. */
async function withRemembered(home: string, options: ImportOptions): Promise<ImportOptions> {
  return { ...options, chosen: { ...(await readChosenNames(home)), ...options.chosen } };
}

type FreshFile = { hash: string; given: GivenFile };

async function findFresh(files: readonly GivenFile[], database: Database | undefined) {
  if (files.length === 0) throw badInput([{ path: "files", message: "there is no file to import" }]);
  const hashed: { given: GivenFile; name: string; content: string }[] = [];
  for (const given of files) hashed.push({ given, name: given.name, content: await hashGiven(given) });
  const hashes = hashed.flatMap((file) => [file.content, identify(file)]);
  return sortOut<(typeof hashed)[number]>(hashed, database ? await findImported(database, hashes) : new Map());
}

async function takeLog(database: Database, { attemptId, folder }: ForeignAttempt, written: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, "events.jsonl");
  await rename(written, path);
  await drainFile(database, attemptId, path);
}

async function takeEpisodes({ folder }: ForeignAttempt, written: string): Promise<void> {
  if (existsSync(written)) await rename(written, join(folder, "samples.jsonl"));
}

async function takeGroups({ folder }: ForeignAttempt, written: string): Promise<void> {
  if (!existsSync(written)) return;
  for (const name of Object.values(groupFiles)) await rename(join(written, name), join(folder, name));
}

function describeFiles(names: readonly string[]): string {
  const [first = ""] = names;
  return names.length === 1
    ? first.slice(0, 80)
    : `${first.slice(0, 60)} and ${formatCount(names.length - 1, "more file")}`;
}

const Names = z.record(z.string(), z.string());

async function readChosenNames(home: string): Promise<Record<string, string>> {
  const text = await readFile(pathOf(home), "utf8").catch(() => "{}");
  return Names.safeParse(tryJson(text)).data ?? {};
}

/** Stores the metrics that users chose for unknown names; a later choice for a name replaces earlier ones. */
async function rememberNames(home: string, chosen: Readonly<Record<string, string>>): Promise<void> {
  if (Object.keys(chosen).length === 0) return;
  const all = { ...(await readChosenNames(home)), ...chosen };
  const written = `${pathOf(home)}.${process.pid}`;
  await writeFile(written, JSON.stringify(all, null, 2), { mode: 0o600 });
  await rename(written, pathOf(home));
}

function pathOf(home: string): string {
  return join(home, "imported-names.json");
}
