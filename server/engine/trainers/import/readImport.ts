import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, gunzipSync } from "node:zlib";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { z } from "zod";
import { openGroups } from "#trainer/run/keeping/groupFile.ts";
import { type MetricValue, toMetricValue } from "#trainer/spec/event.ts";
import { AppError } from "#packages/base";
import type {
  ForeignFile,
  ForeignFormat,
  ForeignRun,
  LeftOut,
  NamedFile,
} from "#server/domain/trainers/import/foreignRun.ts";
import { type Column, listColumns } from "#server/domain/trainers/import/chosenNames.ts";
import {
  type ImportOptions,
  type ImportPlan,
  planImport,
  type SettingsFile,
} from "#server/domain/trainers/import/planImport.ts";
import { isSettingsFile } from "#server/domain/trainers/import/nameFile.ts";
import { readSettings } from "#server/domain/trainers/import/settings.ts";
import { packedStart } from "#server/engine/studies/studyFile.ts";
import { keepStorable } from "#server/domain/trainers/import/keepStorable.ts";
import { readForeignFile } from "#server/domain/trainers/import/readForeignFile.ts";
import { toEventLog } from "#server/domain/trainers/import/toEventLog.ts";
import { GivenFile, readGiven } from "./givenFile.ts";

export const ReadRequest = z.object({
  files: z.array(GivenFile),
  options: z.custom<ImportOptions>(),
  logs: z.string().optional(),
  /** Maximum number of lines in all files, since even a short line takes a kilobyte of memory. Absent: no limit. */
  maxLines: z.number().optional(),
});
export type ReadRequest = z.infer<typeof ReadRequest>;

/** Summary of the files' runs without their measurements, small enough to be sent between processes. */
export type ReadImport = {
  cells: ImportPlan["cells"];
  /** Runs in the order of the numbers in their event logs' names. */
  runs: readonly {
    cellIndex: number;
    seed: number;
    id: string;
    name: string;
    files: readonly string[];
    numSteps: number;
    lastStep: number;
    /** Last value of each metric. */
    last: Readonly<Record<string, MetricValue>>;
    startedAtMs: number | null;
    endedAtMs: number | null;
    config: ForeignRun["config"];
    /** True for a run with at least one training iteration. */
    hasSteps: boolean;
  }[];
  left: readonly LeftOut[];
  notes: readonly string[];
  /** Metric names in the files, with the studio's metrics to which they are mapped. */
  columns: readonly Column[];
  /** Format of each file, in order; null for a file without a log. */
  formats: readonly (ForeignFormat | null)[];
};

/** Groups external trainers' runs into cells, and may write event logs. Files that are no logs are in `left`. */
export async function readImport({ files, options, logs, maxLines = Infinity }: ReadRequest): Promise<ReadImport> {
  const read: (NamedFile | SettingsFile | LeftOut)[] = [];
  let numLines = 0;
  // Files are read one after another, because together they might exceed the memory limit.
  for (const given of files) {
    const fileName = basename(given.name);
    const bytes = await readGiven(given);
    if (isRecordedStudy(given.name, bytes)) {
      const reason = `a recorded study, no log of a trainer: import it alone`;
      read.push({ file: given.name, reason });
      continue;
    }
    // Lines are counted after unpacking, because a small gzipped file may have millions.
    const unpacked = await refusalOr(given.name, () => unpack(given.name, bytes));
    if (!("reason" in unpacked)) numLines += countLines(unpacked.bytes);
    if (numLines > maxLines) throw tooManyLines(fileName, { numLines, maxLines });
    read.push("reason" in unpacked ? unpacked : await refusalOr(given.name, () => readUnpacked(given.name, unpacked)));
  }
  const refused = read.filter((one) => "reason" in one);
  const named = read.filter((one) => "fileName" in one && "file" in one);
  const settings = read.filter((one) => "settings" in one);
  const { cells, runs, left, notes } = planImport(named, options, settings);
  if (logs !== undefined) {
    for (const [i, { run }] of runs.entries()) {
      const lines = toEventLog(run, { specHash: "imported", code: "imported", atMs: Date.now() });
      await pipeline(Readable.from(inBlocks(lines)), createWriteStream(logPath(logs, i)));
      const file = run.groups.length > 0 ? openGroups(groupsPath(logs, i)) : undefined;
      for (const group of run.groups) file?.write([group]);
      if (run.episodes.length === 0) continue;
      const episodes = run.episodes.map((episode) => `${JSON.stringify(episode)}\n`);
      await pipeline(Readable.from(inBlocks(episodes)), createWriteStream(episodesPath(logs, i)));
    }
  }
  return {
    cells,
    runs: runs.map(({ run: { points, config }, ...run }) => {
      const [numSteps, lastStep] = [points.length, points.at(-1)?.iteration ?? 0];
      const values: Record<string, number> = {};
      for (const point of points) Object.assign(values, point.values);
      const last = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, toMetricValue(value)]));
      return { ...run, numSteps, lastStep, last, ...timesOf(points), config, hasSteps: lastStep > 0 };
    }),
    left: [...refused, ...left],
    notes,
    columns: listColumns(runs),
    formats: read.map((one) => ("fileName" in one && "file" in one ? one.file.format : null)),
  };
}

/** Returns the earliest and latest time. Clocks may be set back, so these need not be of the first and last step. */
function timesOf(points: ForeignRun["points"]): { startedAtMs: number | null; endedAtMs: number | null } {
  let [first, last] = [Infinity, -Infinity];
  for (const { atMs } of points) {
    if (atMs === undefined) continue;
    first = Math.min(first, atMs);
    last = Math.max(last, atMs);
  }
  return first > last ? { startedAtMs: null, endedAtMs: null } : { startedAtMs: first, endedAtMs: last };
}

/** Returns the result of `work`, or its refusal, which concerns only one of the files. */
async function refusalOr<Result>(file: string, work: () => Result | Promise<Result>): Promise<Result | LeftOut> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message } = error;
    return { file, reason: message.startsWith(`${file}: `) ? message.slice(file.length + 2) : message };
  }
}

function readUnpacked(fileName: string, unpacked: Unpacked): NamedFile | SettingsFile {
  if (isSettingsFile(fileName)) {
    return { fileName, settings: readSettings(fileName, new TextDecoder().decode(unpacked.bytes)) };
  }
  return { fileName, file: keepStorable(fileName, withNote(fileName, unpacked)) };
}

/** True if a file is a recorded study of this studio, by its name or its first line. */
function isRecordedStudy(fileName: string, bytes: Uint8Array): boolean {
  if (fileName.toLowerCase().endsWith(".arlarena")) return true;
  if (Buffer.from(bytes.subarray(0, packedStart.length)).toString("latin1") === packedStart) return true;
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return false;
  try {
    const start = gunzipSync(bytes.subarray(0, 4096), {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: 1 << 24,
    });
    return start.subarray(0, 100).toString("latin1").startsWith('{"type":"arlarena study"');
  } catch {
    return false;
  }
}

function countLines(bytes: Uint8Array): number {
  let numLines = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) numLines += 1;
  return numLines;
}

const lineFeed = 10;

function tooManyLines(fileName: string, { numLines, maxLines }: { numLines: number; maxLines: number }): AppError {
  const [count, limit] = [numLines, maxLines].map((number) => number.toLocaleString("en-US"));
  const advice = "Import fewer files at a time, or use `npx arlarena import`, which has no such limit.";
  return new AppError("too_large", `${fileName}: ${count} lines up to here, the limit is ${limit}. ${advice}`);
}

export function logPath(folder: string, runIndex: number): string {
  return join(folder, `${runIndex}.jsonl`);
}

export function episodesPath(folder: string, runIndex: number): string {
  return join(folder, `${runIndex}.samples.jsonl`);
}

/** Folder of a run's group files. */
export function groupsPath(folder: string, runIndex: number): string {
  return join(folder, `${runIndex}.groups`);
}

/** Joins lines into texts of about 64 kB, because one write per line would dominate the time of an import. */
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

/** Maximum size of an unpacked file in bytes, slightly below the longest string in JavaScript. */
const maxUnpackedBytes = 2 ** 29 - 2 ** 16;

/** Reads the runs in a file of an external trainer or experiment tracker. The file may be compressed with gzip. */
export async function readLogFile(fileName: string, bytes: Uint8Array): Promise<ForeignFile> {
  return withNote(fileName, await unpack(fileName, bytes));
}

/** Content of a file; `note` says how much of a damaged gzip could be unpacked. */
type Unpacked = { bytes: Uint8Array; note?: string };

async function unpack(fileName: string, bytes: Uint8Array): Promise<Unpacked> {
  if (Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "PAR1")
    return { bytes: await unpackParquet(fileName, bytes) };
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return { bytes };
  const { unpacked, problem } = await gunzip(fileName, bytes);
  if (unpacked.length === 0) throw new AppError("bad_input", `${fileName}: its gzip cannot be unpacked (${problem})`);
  if (problem === undefined) return { bytes: unpacked };
  const note = `its gzip is cut or damaged (${problem}): the first ${unpacked.length.toLocaleString("en-US")} bytes were read`;
  return { bytes: unpacked, note };
}

/** Returns the rows of a Parquet file as JSON Lines, which all readers know. */
async function unpackParquet(fileName: string, bytes: Uint8Array): Promise<Uint8Array> {
  const file = new Uint8Array(bytes).buffer;
  try {
    const sizes = parquetMetadata(file).row_groups.map(({ total_byte_size: size }) => Number(size));
    if (sizes.reduce((sum, x) => sum + x, 0) > maxUnpackedBytes) throw tooLarge(fileName);
    const rows = await parquetReadObjects({ file });
    const plain = (_: string, x: unknown) => (typeof x === "bigint" ? Number(x) : x);
    return Buffer.from(rows.map((row) => `${JSON.stringify(row, plain)}\n`).join(""));
  } catch (error) {
    if (error instanceof AppError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError("bad_input", `${fileName}: its Parquet cannot be read (${why})`);
  }
}

function withNote(fileName: string, { bytes, note }: Unpacked): ForeignFile {
  const file = readForeignFile(fileName, bytes);
  return note === undefined ? file : { ...file, notes: [note, ...file.notes] };
}

/** Unpacks a gzipped file, or its beginning up to the byte at which it is cut off or damaged; `problem` says so. */
async function gunzip(fileName: string, bytes: Uint8Array): Promise<{ unpacked: Buffer; problem: string | undefined }> {
  const stream = createGunzip();
  const chunks: Buffer[] = [];
  let length = 0;
  let problem: string | undefined;
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxUnpackedBytes) stream.destroy(tooLarge(fileName));
  });
  const ended = once(stream, "end").catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    problem = error instanceof Error ? error.message : String(error);
  });
  for (let at = 0; at < bytes.length && !stream.destroyed; at += chunkBytes) {
    if (!stream.write(bytes.subarray(at, at + chunkBytes)) && !stream.destroyed) {
      await Promise.race([once(stream, "drain").catch(() => undefined), ended]);
    }
  }
  if (!stream.destroyed) stream.end();
  await ended;
  return { unpacked: Buffer.concat(chunks), problem };
}

const chunkBytes = 1 << 16;

function tooLarge(fileName: string): AppError {
  return new AppError("too_large", `${fileName}: unpacked it has more than ${maxUnpackedBytes} bytes; split it first`);
}
