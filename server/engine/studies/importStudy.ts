import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Database } from "#server/db/storage/client.ts";
import { insertSearchRecord } from "#server/db/plan/searchRecords.ts";
import { compactPoints, makeMetricIds, type MetricIds } from "#server/db/runs/pointWrites.ts";
import { keepFrozenReport } from "#server/db/publish/reports.ts";
import * as storage from "#server/db/publish/studies.ts";
import { deleteSweep } from "#server/db/plan/sweeps.ts";
import { keepTableProofs } from "#server/db/publish/proofs.ts";
import { findForeignHtml } from "#server/domain/publish/reports/blockHtml.ts";
import { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { isOfLabels } from "#server/domain/publish/tables/query.ts";
import { drainFile } from "#server/engine/ingest/drainLog.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import { hashLines } from "./exportStudy.ts";
import { readForm, StudyLines } from "./studyLines.ts";
import { AttemptLine, EndLine, RunLine, StudyHead } from "./studyFile.ts";

export type ImportedStudy = {
  sweeps: { id: string; name: string; numRuns: number }[];
  /** Hashes of tables in the study whose numbers can be verified immediately after the import. */
  proofs: string[];
  /** Hashes of tables of collapse labels, which can be verified only after the detector has processed the runs. */
  laterProofs: string[];
  reports: { id: string; title: string }[];
  /** Messages about differences between this studio and the one that recorded the study. */
  notes: string[];
};

/** True if a file is a recorded study: compressed, with a study's first line. */
export async function isStudy(path: string): Promise<boolean> {
  // A missing or unreadable file gives false here; the function that then imports it reports the error.
  if ((await readForm(path).catch(() => undefined)) === undefined) return false;
  const lines = new StudyLines(path);
  try {
    return StudyHead.safeParse(JSON.parse(await lines.next())).success;
  } catch {
    return false;
  } finally {
    await lines.close();
  }
}

/**
 * Imports a recorded study atomically: remains of an interrupted import of the same sweeps are removed first.
 * @throws `bad_input` with the line number if the file is altered, and `conflict` during another import.
 */
export function importStudy(database: Database, home: string, path: string): Promise<ImportedStudy> {
  return importWatched({ database, home }, path);
}

/** Imports a recorded study as `importStudy` does, and calls `onRun` after each of its runs. */
export function importWatched(target: Target, path: string): Promise<ImportedStudy> {
  return storage.withStudyLock(target.database, () => importAlone(target, path));
}

async function importAlone(target: Target, path: string): Promise<ImportedStudy> {
  const lines = new StudyLines(path);
  const { database, home } = target;
  const made: string[] = [];
  const sweeps = new Map<string, Recorded>();
  try {
    return await importLines(lines, { ...target, metricIds: makeMetricIds(database.pool), sweeps, made });
  } catch (error) {
    for (const id of made) await discard(database, home, id);
    await storage.deleteOpenRuns(database, runIdsOf(sweeps));
    throw error;
  } finally {
    await lines.close();
  }
}

async function importLines(lines: StudyLines, into: Made): Promise<ImportedStudy> {
  const { database, sweeps } = into;
  const head = await lines.parse(StudyHead);
  requireOwnHtml(lines, head);
  const notes = await createSweeps(head, into);
  await storage.rejudgeBranches(database, await readRuns(lines, into));
  for (const { id, runs, isOrigin = false } of sweeps.values()) {
    const intent = runs.every(({ status }) => status === "cancelled") ? "cancel" : "run";
    await storage.finishStudySweep(database, { id, runs, ...(!isOrigin && { intent }) });
  }
  const kept = head.proofs.filter(({ query }) =>
    [...sweeps].every(([id, { id: here }]) => id === here || !sweepIdsOf(query).includes(id)),
  );
  await keepTableProofs(database, kept);
  const reports = [];
  for (const report of head.reports ?? [])
    reports.push({ id: await keepFrozenReport(database, report), title: report.title });
  return {
    sweeps: [...sweeps.values()].flatMap(({ id, name, runs, isOrigin = false }) =>
      isOrigin ? [] : [{ id, name, numRuns: runs.length }],
    ),
    proofs: hashesOf(kept.filter(({ query }) => !isOfLabels(query))),
    laterProofs: hashesOf(kept.filter(({ query }) => isOfLabels(query))),
    reports,
    notes,
  };
}

function runIdsOf(sweeps: Into["sweeps"]): string[] {
  return [...sweeps.values()].flatMap(({ runs }) => runs.map(({ runId }) => runId));
}

/** Creates the sweeps, without runs. Returns messages about differences between this studio and the recording one. */
async function createSweeps(head: StudyHead, { database, home, sweeps, made }: Made): Promise<string[]> {
  const notes: string[] = [];
  for (const { plan, search, ...sweep } of head.sweeps) {
    if (await storage.isHalfStudy(database, sweep)) await discard(database, home, sweep.id);
    if (contentHash(plan) !== sweep.planHash) notes.push(`${sweep.name}: its plan has another hash here`);
    const cells = sweep.cells.map(toCell);
    const created = await storage.createStudySweep(database, { ...sweep, plan: Object(plan), cells });
    made.push(created.id);
    if (search) {
      const planned = SweepPlan.parse(plan).search?.trials ?? search.decisions.length;
      await insertSearchRecord(database, { sweepId: created.id, cellIds: created.cellIds, planned, record: search });
    }
    if (created.id !== sweep.id)
      notes.push(`${sweep.name}: its id ${sweep.id} is taken, so proofs of its tables differ from the recorded ones`);
    sweeps.set(sweep.id, { ...created, name: sweep.name, runs: [] });
  }
  for (const { plan, ...origin } of head.origins ?? []) {
    const cells = origin.cells.map(toCell);
    const place = await storage.createOriginSweep(database, { ...origin, plan: Object(plan), cells });
    if (place.isNew) made.push(origin.id);
    sweeps.set(origin.id, { ...place, name: origin.name, runs: [], isOrigin: true });
  }
  return notes;
}

function hashesOf(proofs: StudyHead["proofs"]): string[] {
  return proofs.map(({ hash }) => hash);
}

/** Rejects reports with active content, which no studio writes: the web app shows the HTML unchanged. */
function requireOwnHtml(lines: StudyLines, { reports = [] }: StudyHead): void {
  for (const { title, frozen } of reports) {
    for (const html of Object.values(frozen)) {
      const part = findForeignHtml(html);
      if (part === undefined) continue;
      throw lines.problem(`the report “${title}” has ${part.slice(0, 60)}, which is not allowed in a report`);
    }
  }
}

type Recorded = {
  id: string;
  name: string;
  cellIds: ReadonlyMap<number, number>;
  runs: EndedRun[];
  /** True if the sweep contains only runs from whose checkpoints other runs start. Those already stored are skipped. */
  isOrigin?: boolean;
};
type EndedRun = { runId: string; status: RunLine["status"]; reason: string | null };
type Target = { database: Database; home: string; onRun?: () => void };
type Into = Target & { metricIds: MetricIds; sweeps: ReadonlyMap<string, Recorded> };
/** `made`: ids of the created sweeps. `sweeps`: maps the file's sweep ids to stored sweeps. */
type Made = Into & { sweeps: Map<string, Recorded>; made: string[] };

function toCell({ spec, ...cell }: StudyHead["sweeps"][number]["cells"][number]) {
  return { ...cell, spec: Object(spec) };
}

const Next = z.discriminatedUnion("type", [RunLine, AttemptLine, EndLine]);

/** Imports all runs with their attempts, up to the file's end line. Returns the new runs in the file's order. */
async function readRuns(lines: StudyLines, into: Into): Promise<string[]> {
  const { database, sweeps } = into;
  const made: string[] = [];
  let numRuns = 0;
  let runId: string | undefined;
  // For a run that is stored already, the lines of its attempts are read and dropped.
  let isStored = false;
  for (;;) {
    const next = await lines.parse(Next);
    if (next.type === "end") {
      if (next.runs === numRuns) return made;
      throw lines.problem(`the file states ${next.runs} runs, but contains ${numRuns}`);
    }
    if (next.type === "attempt") {
      if (isStored) await lines.take(next.logLines + next.sampleLines);
      else if (runId === undefined) throw lines.problem("an attempt without its run");
      else await readAttempt(lines, { ...into, runId }, next);
      continue;
    }
    const sweep = sweeps.get(next.sweepId);
    const cellId = sweep?.cellIds.get(next.cell);
    if (!sweep || cellId === undefined)
      throw lines.problem(`a run of cell ${next.cell} of ${next.sweepId}, which is not in the file`);
    const { type: _, status, reason, ...run } = next;
    const place = { ...run, sweepId: sweep.id, cellId };
    runId = await (sweep.isOrigin === true
      ? storage.createOriginRun(database, { ...place, status, reason })
      : storage.createStudyRun(database, place));
    isStored = runId === undefined;
    if (runId !== undefined) {
      sweep.runs.push({ runId, status, reason });
      made.push(runId);
    }
    numRuns += 1;
    into.onRun?.();
  }
}

async function readAttempt(lines: StudyLines, into: Into & { runId: string }, line: AttemptLine) {
  const { database, home, runId, metricIds } = into;
  const { number, node, createdAt, reason, endedAt, logLines, logHash, sampleLines } = line;
  const log = await lines.take(logLines);
  if (hashLines(log) !== logHash)
    throw lines.problem(
      `the log of ${runId}, attempt ${number}, is not the one that was exported (its SHA-256 differs)`,
    );
  const samples = await lines.take(sampleLines);
  const folder = join(home, "runs", runId, String(number));
  await mkdir(folder, { recursive: true });
  if (samples.length > 0) await writeFile(join(folder, "samples.jsonl"), toText(samples));
  const attempt = { runId, number, node, folder, createdAt, endedAt, reason };
  const id = await storage.createStudyAttempt(database, attempt);
  if (log.length > 0) {
    const path = join(folder, "events.jsonl");
    await writeFile(path, toText(log));
    await drainFile({ ...database, metricIds }, id, path);
    await compactPoints(database.pool, id, { isOver: true });
  }
}

function toText(lines: readonly string[]): string {
  return lines.map((text) => `${text}\n`).join("");
}

function sweepIdsOf(query: Record<string, unknown>): readonly unknown[] {
  const { sweepIds } = query;
  return Array.isArray(sweepIds) ? sweepIds : [];
}

/** Deletes a partly imported sweep with its runs, because it would look like a complete one. */
async function discard(database: Database, home: string, sweepId: string): Promise<void> {
  const runs = await database.prisma.run.findMany({ where: { sweepId }, select: { id: true } });
  await database.prisma.run.updateMany({ where: { sweepId }, data: { status: "cancelled" } });
  await deleteSweep(database, sweepId);
  for (const { id } of runs) await rm(join(home, "runs", id), { recursive: true, force: true });
}
