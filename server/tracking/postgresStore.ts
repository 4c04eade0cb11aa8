import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "#server/db/client.ts";
import { createForeignSweep } from "#server/db/imports.ts";
import { compactPoints, makeMetricIds } from "#server/db/pointWrites.ts";
import {
  createTrackedRun,
  findTrackedSweep,
  listTrackedSweeps,
  readTrackedRuns,
  saveTrackedValues,
  setTrackedStatus,
  type TrackedRunRow,
} from "#server/db/tracked.ts";
import { AppError } from "#server/domain/errors.ts";
import { guessIdentity } from "#server/domain/import/guessIdentity.ts";
import { titleOf, usualSampling } from "#server/domain/import/planImport.ts";
import type {
  TrackedExperiment,
  TrackedMetric,
  TrackedRun,
  TrackedStatus,
  TrackingStore,
} from "#server/domain/mlflow/store.ts";
import type { RunStatus } from "#server/domain/runStatus.ts";
import { drainLog } from "#server/ingest/drainLog.ts";
import { openJournal, type Journal } from "./journal.ts";

/**
 * Tracked experiments as sweeps and their runs as runs: measurements go into a journal in the run's folder first and
 * from there through the usual ingest, so that a crash or an outage in between loses nothing.
 */
export function makePostgresStore(database: Database, home: string): TrackingStore {
  const folderOf = (runId: string) => join(home, "runs", runId, "1");
  const journals = new Map<string, Promise<Journal>>();
  const storage = { pool: database.pool, metricIds: makeMetricIds(database.pool) };

  const find = async (id: string): Promise<TrackedRunRow> => {
    const [run] = await readTrackedRuns(database, { id });
    if (!run) throw new AppError("not_found", `there is no run ${id}`);
    return run;
  };
  const useJournal = async (run: TrackedRunRow, work: (journal: Journal) => Promise<void>): Promise<void> => {
    const opened = journals.get(run.id) ?? openJournal(join(run.folder, "events.jsonl"), writer);
    journals.set(run.id, opened);
    try {
      await work(await opened);
    } catch (error) {
      // What the file really holds is read again next time.
      journals.delete(run.id);
      throw error;
    }
  };
  const apply = async (id: string, { isFinal }: { isFinal: boolean }): Promise<void> => {
    let before = -1;
    for (;;) {
      const { position, folder } = await find(id);
      const bytes = await readFile(join(folder, "events.jsonl"));
      if (position.logOffset >= bytes.length || position.logOffset === before) break;
      before = position.logOffset;
      const readLog = async (fromByte: number) => bytes.subarray(fromByte, fromByte + chunkBytes);
      await drainLog(storage, position, { readLog, hasEnded: false });
    }
    if (isFinal) await compactPoints(database.pool, (await find(id)).position.attemptId, { isOver: true });
  };

  return {
    findExperiment: (wanted) => findTrackedSweep(database, wanted),
    listExperiments: () => listTrackedSweeps(database),
    createExperiment: async (name) => {
      if (await findTrackedSweep(database, { name })) {
        throw new AppError("conflict", `experiment "${name}" exists already`);
      }
      const plan = { cells: [], runs: [], notes: [] };
      const description = "Runs that report by themselves over the tracking endpoint.";
      await createForeignSweep(database, { name, description, plan, folderOf, origin: "tracking" });
      return foundOr(await findTrackedSweep(database, { name }), name);
    },
    createRun: async ({ experimentId, name = "run", startedAtMs = Date.now(), tags }) => {
      const identity = guessIdentity(name);
      const { method, environment } = identity;
      const id = await createTrackedRun(database, {
        sweepId: experimentId,
        identity,
        label: titleOf(environment),
        spec: {
          kind: "imported",
          environment: { id: environment },
          method,
          sampling: usualSampling,
          budget: { iterations: 0 },
        },
        folderOf,
        startedAtMs,
        values: [
          ...tags.map((tag) => ({ ...tag, kind: "tag" as const })),
          { kind: "tag", key: "mlflow.runName", value: name },
        ],
      });
      await mkdir(folderOf(id), { recursive: true });
      return toTrackedRun(await find(id), []);
    },
    readRun: async (id) => {
      const run = await find(id);
      return toTrackedRun(run, await readMetrics(run, useJournal));
    },
    listRuns: async (experimentIds) => {
      const runs = await readTrackedRuns(database, { sweepId: { in: [...experimentIds] } });
      return Promise.all(runs.map(async (run) => toTrackedRun(run, await readMetrics(run, useJournal))));
    },
    changeRun: async (id, { status, endedAtMs, name }) => {
      const run = await find(id);
      if (name !== undefined) {
        await saveTrackedValues(database, id, { params: [], tags: [{ key: "mlflow.runName", value: name }] });
      }
      if (status !== undefined && status !== "SCHEDULED") {
        const exit = exits[status];
        const isNews = states[status] !== run.status;
        if (exit && isNews) await useJournal(run, (journal) => journal.end(exit, `the trainer reported ${status}`));
        if (exit) await apply(id, { isFinal: true });
        if (isNews) await setTrackedStatus(database, id, { status: states[status], endedAtMs });
        if (exit) journals.delete(id);
      }
      return toTrackedRun(await find(id), []);
    },
    log: async (id, { metrics, params, tags }) => {
      const run = await find(id);
      await saveTrackedValues(database, id, { params, tags });
      if (metrics.length === 0) return;
      await useJournal(run, (journal) => journal.append(metrics));
      await apply(id, { isFinal: false });
    },
    readHistory: async (id, key) => (await readMetrics(await find(id), useJournal)).filter((one) => one.key === key),
  };
}

const chunkBytes = 1 << 20;
const writer = { specHash: "tracked", code: "mlflow", pid: 0, firstIteration: 0 };

const states = { RUNNING: "running", FINISHED: "finished", FAILED: "failed", KILLED: "cancelled" } as const;
const exits = { RUNNING: undefined, FINISHED: "completed", FAILED: "failed", KILLED: "interrupted" } as const;
const statuses: Record<RunStatus, TrackedStatus> = {
  pending: "SCHEDULED",
  starting: "SCHEDULED",
  running: "RUNNING",
  unknown: "RUNNING",
  finished: "FINISHED",
  failed: "FAILED",
  cancelled: "KILLED",
};

type UseJournal = (run: TrackedRunRow, work: (journal: Journal) => Promise<void>) => Promise<void>;

async function readMetrics(run: TrackedRunRow, useJournal: UseJournal): Promise<readonly TrackedMetric[]> {
  let metrics: readonly TrackedMetric[] = [];
  await useJournal(run, async (journal) => {
    metrics = await journal.read();
  });
  return metrics;
}

function toTrackedRun(run: TrackedRunRow, metrics: readonly TrackedMetric[]): TrackedRun {
  const { id, sweepId, status, startedAt, endedAt, params, tags } = run;
  return {
    id,
    experimentId: sweepId,
    name: tags.find(({ key }) => key === "mlflow.runName")?.value ?? run.method,
    status: statuses[status],
    startedAtMs: startedAt?.getTime() ?? 0,
    endedAtMs: endedAt?.getTime(),
    params,
    tags,
    metrics: [...new Map(metrics.map((metric) => [metric.key, metric])).values()],
  };
}

function foundOr(experiment: TrackedExperiment | undefined, name: string): TrackedExperiment {
  if (!experiment) throw new AppError("internal", `experiment "${name}" vanished`);
  return experiment;
}
