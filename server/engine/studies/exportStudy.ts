import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createBrotliCompress } from "node:zlib";
import { z } from "zod";
import type { Database } from "#server/db/storage/client.ts";
import { readSearchRecord } from "#server/db/plan/searchRecords.ts";
import { readStudy, readSweepsOfRuns } from "#server/db/publish/studies.ts";
import { AppError, packLines } from "#packages/base";
import { isDropped } from "#packages/trainers";
import { SearchRecord } from "#server/domain/plan/search/record.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { parseStoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { channels, guardMetrics } from "#packages/detector";
import { stabilityMetrics } from "#server/domain/publish/tables/builder/presetPanels.ts";
import { collapseMetrics } from "#server/domain/publish/tables/builder/collapses.ts";
import { signalsOf } from "#server/domain/analysis/warning/signals.ts";
import { lineOf } from "#trainer/spec/origin.ts";
import { heldOutSuccess, trainingSuccess, type MetricKey } from "#trainer/spec/metric.ts";
import { readFrozenReports, type FrozenReport } from "#server/db/publish/reports.ts";
import { parseReport, type ReportPart } from "#server/domain/publish/reports/parseReport.ts";
import { ignoreMissing } from "#server/config/fileErrors.ts";
import { type AttemptLine, packedStart, type RunLine, type StudyHead } from "./studyFile.ts";

export type ExportedStudy = {
  numRuns: number;
  numOpen: number;
  numReports: number;
};
export type Contents = {
  hasSamples: boolean;
  /** True to export only what `keepEssential` keeps: metrics of labels, stopping rules and tables. */
  isEssential?: boolean;
};
/** Higher qualities than 6 take ten times as long and save two percent. A window of 16 MB finds earlier runs. */
const compression = { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_LGWIN]: 24 };
const maxBlockCharacters = 2 ** 24;

type Study = Awaited<ReturnType<typeof readWholeStudy>>;
type StudySweep = Study["sweeps"][number] | Study["origins"][number];
type Run = Study["sweeps"][number]["runs"][number];

/**
 * Writes sweeps with the logs of their runs into one file, which `importStudy` reads.
 * @throws `bad_input` for sweeps of external runs and for completed attempts whose log is not on this machine.
 */
export async function exportStudy(
  database: Database,
  { sweepIds, path, ...contents }: { sweepIds: readonly string[]; path: string } & Contents,
): Promise<ExportedStudy> {
  const study = await readWholeStudy(database, sweepIds);
  const foreign = study.sweeps.find(({ origin }) => origin !== "plan");
  if (foreign) {
    const message = `${foreign.name} was trained by another trainer: import its own files elsewhere instead`;
    throw new AppError("bad_input", message);
  }
  const runs = study.sweeps.flatMap((sweep) => sweep.runs);
  const over = runs.filter(({ status }) => isOver(status));
  const origins = study.origins.flatMap((sweep) => sweep.runs).filter(({ status }) => isOver(status));
  const lines = writeLines(study, [...origins, ...over], contents);
  const file = createWriteStream(path);
  file.write(packedStart);
  await pipeline(lines, createBrotliCompress({ params: compression }), file);
  return { numRuns: over.length, numOpen: runs.length - over.length, numReports: study.reports.length };
}

async function readWholeStudy(database: Database, sweepIds: readonly string[]) {
  const { sweeps, proofs } = await readStudy(database, sweepIds);
  const searched = sweeps.map(async (sweep) => {
    const indexOf = new Map(sweep.cells.map(({ id, index }) => [id, index]));
    return { ...sweep, search: await readSearchRecord(database.pool, sweep.id, indexOf) };
  });
  const reports = await readReportsOf(database, sweepIds);
  return { sweeps: await Promise.all(searched), origins: await readOrigins(database, sweeps), proofs, reports };
}

/** Reads the runs from whose checkpoints the exported runs start, unless they are exported anyway. */
async function readOrigins(database: Database, sweeps: Awaited<ReturnType<typeof readStudy>>["sweeps"]) {
  const inside = new Set(sweeps.flatMap(({ runs }) => runs.map(({ id }) => id)));
  const named = sweeps.flatMap(({ cells }) =>
    cells.flatMap(({ spec: stored }) => {
      const spec = parseStoredSpec(stored);
      return isImported(spec) ? [] : lineOf(spec);
    }),
  );
  const outside = [...new Set(named)].filter((id) => !inside.has(id));
  return readSweepsOfRuns(database, outside);
}

async function* writeLines({ sweeps, origins, proofs, reports }: Study, runs: readonly Run[], contents: Contents) {
  const head: z.input<typeof StudyHead> = {
    type: "arlarena study",
    v: 1,
    exportedAt: new Date().toISOString(),
    sweeps: sweeps.map(toStudySweep),
    ...(origins.length > 0 && { origins: origins.map(toStudySweep) }),
    proofs: proofs.map(({ hash, query, code }) => ({ hash, query: toRecord(query), code })),
    ...(reports.length > 0 && { reports }),
  };
  yield toLine(head);
  const asked = metricsOf(proofs);
  const indexOf = new Map([...sweeps, ...origins].flatMap(({ cells }) => cells.map(({ id, index }) => [id, index])));
  for (const run of runs) {
    const { sweepId, cellId, seed, status, reason, addedAt, startedAt, endedAt, attempts } = run;
    yield toLine({
      type: "run",
      sweepId,
      cell: indexOf.get(cellId) ?? -1,
      seed,
      status,
      reason,
      ...marksOf(run),
      ...(addedAt && { addedAt }),
      startedAt,
      endedAt,
    });
    for (const attempt of attempts) yield* writeAttempt(attempt, contents, asked);
  }
  yield toLine({ type: "end", runs: runs.length });
}

function toStudySweep({ id, name, description, createdAt, plan, planHash, cells, search, ...sweep }: StudySweep) {
  return {
    id,
    name,
    description,
    createdAt,
    plan,
    planHash,
    ...marksOf(sweep),
    baselineCell: sweep.baselineCell,
    cells: cells.map(({ index, method, label, spec, specHash, startHash }) => ({
      index,
      method,
      label,
      spec: toRecord(spec),
      specHash,
      startHash,
    })),
    ...(search && { search: z.encode(SearchRecord, search) }),
  };
}

type Marked = Pick<Run, "tags" | "note" | "isFavourite" | "archivedAt">;

/** Returns only non-empty marks, so that sweeps and runs without them are written as in older files. */
function marksOf({ tags, note, isFavourite, archivedAt }: Marked) {
  return {
    ...(tags.length > 0 && { tags }),
    ...(note !== "" && { note }),
    ...(isFavourite && { isFavourite }),
    ...(archivedAt !== null && { isArchived: true }),
  };
}

type Attempt = Run["attempts"][number];

async function* writeAttempt(
  { number, node, reason, createdAt, endedAt, folder, jobId }: Attempt,
  { hasSamples, isEssential = false }: Contents,
  asked: ReadonlySet<string>,
) {
  const log = await readWhole(join(folder, "events.jsonl"));
  if (log === undefined && reason === "completed") {
    const problem = `the log of ${jobId} is not in ${folder}: only runs with their logs can be exported`;
    throw new AppError("bad_input", problem);
  }
  const logLines = isEssential ? (log ?? []).map((text) => keepEssential(text, asked)) : (log ?? []);
  const samples = hasSamples ? ((await readWhole(join(folder, "samples.jsonl"))) ?? []) : [];
  const line: AttemptLine = {
    type: "attempt",
    number,
    node,
    reason,
    createdAt,
    endedAt,
    logLines: logLines.length,
    logHash: hashLines(logLines),
    sampleLines: samples.length,
  };
  yield toLine(line);
  for (const block of [...splitLines(logLines), ...splitLines(samples)]) yield toLine(packLines(block));
}

/** Splits lines into blocks of at most 16 million characters; a longer line is a block of its own. */
function* splitLines(lines: readonly string[]): Generator<string[]> {
  let block: string[] = [];
  let numCharacters = 0;
  for (const line of lines) {
    if (block.length > 0 && numCharacters + line.length > maxBlockCharacters) {
      yield block;
      block = [];
      numCharacters = 0;
    }
    block.push(line);
    numCharacters += line.length;
  }
  if (block.length > 0) yield block;
}

/** Returns the SHA-256 of a log, given its lines without line ends. */
export function hashLines(lines: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of lines) hash.update(`${text}\n`);
  return hash.digest("hex");
}

/** Returns the complete lines of a file and a possibly incomplete last line; undefined if the file does not exist. */
async function readWhole(path: string): Promise<string[] | undefined> {
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  return text?.replace(/\n$/, "").split("\n");
}

function toLine(value: StudyHead | RunLine | AttemptLine | object): string {
  return `${JSON.stringify(value)}\n`;
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Metrics that no rule reads: they help to explain a collapse, or tables count them (dropped episodes and groups). */
const explaining: readonly MetricKey[] = [
  "group/filteredFraction",
  "rollout/discardedFraction",
  "group/zeroVarianceFraction",
  "loss/policy",
  "policy/clipFraction",
  "policy/maskedRowFraction",
  "policy/staleness",
  "mismatch/stalenessK3",
  "mismatch/precisionK3",
  "correction/effectiveFraction",
  "correction/rejectedTokenFraction",
  "correction/rejectedRowFraction",
  "correction/stepScale",
];

/** Metrics whose values tables state; of others they state labels and counts. */
const stated: ReadonlySet<string> = new Set([
  ...trainingSuccess,
  ...heldOutSuccess,
  ...Object.values(stabilityMetrics),
  ...Object.values(collapseMetrics),
]);

const essential: ReadonlySet<string> = new Set([
  ...stated,
  ...Object.values(channels).flatMap(({ metrics }) => metrics),
  ...guardMetrics,
  ...Object.values(signalsOf).flatMap((signals) => signals.map(({ metric }) => metric)),
  ...explaining,
]);

/**
 * Reduces a log line to essential metrics and those that proofs ask for (`asked`), in single precision if no table
 * states them; other lines stay unchanged.
 */
export function keepEssential(line: string, asked: ReadonlySet<string> = new Set()): string {
  if (!line.includes('"type":"metrics"')) return line;
  try {
    const event: unknown = JSON.parse(line);
    if (typeof event !== "object" || event === null || !("values" in event)) return line;
    const kept = Object.entries<unknown>(Object(event.values)).flatMap(([key, value]) => {
      if (stated.has(key) || asked.has(key) || isDropped(key) || key.startsWith("evaluation/elsewhere/"))
        return [[key, value]];
      return essential.has(key) ? [[key, toSingle(value)]] : [];
    });
    return JSON.stringify({ ...event, values: Object.fromEntries(kept) });
  } catch {
    // The last line of a killed process may be cut off and unparsable, so it stays unchanged.
    return line;
  }
}

/** Returns the metrics that stored queries name, among their other texts with a slash. */
export function metricsOf(proofs: readonly { query: unknown }[]): ReadonlySet<string> {
  const names = JSON.stringify(proofs.map(({ query }) => query)).matchAll(/"([^"\\]+\/[^"\\]+)"/g);
  return new Set(Array.from(names, ([, name = ""]) => name));
}

/** Rounds to single precision, with a relative error of at most 6e-8; integers and numbers out of its range stay. */
function toSingle(value: unknown): unknown {
  if (typeof value !== "number" || Number.isInteger(value)) return value;
  const single = Math.fround(value);
  return Number.isFinite(single) && single !== 0 ? single : value;
}

/** Reads frozen reports whose blocks refer to at least one of these sweeps and to no other sweep. */
async function readReportsOf(database: Database, sweepIds: readonly string[]): Promise<FrozenReport[]> {
  const ids = new Set(sweepIds);
  const reports = await readFrozenReports(database);
  return reports.filter(({ body }) => {
    const named = parseReport(body).flatMap(sweepsOf);
    return named.length > 0 && named.every((id) => ids.has(id));
  });
}

function sweepsOf(part: ReportPart): readonly string[] {
  if (part.kind !== "block") return [];
  const { block } = part;
  // A run's id is its sweep's id with cell and seed appended, so the sweep's id remains.
  if (block.kind === "episode") return [block.fields.run.replace(/-c\d+-s\d+$/, "")];
  if (!("sweep" in block.fields)) return [];
  return typeof block.fields.sweep === "string" ? [block.fields.sweep] : block.fields.sweep;
}
