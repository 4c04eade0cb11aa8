import { mkdir } from "node:fs/promises";
import type { Database } from "#server/db/storage/client.ts";
import { compactPoints } from "#server/db/runs/pointWrites.ts";
import {
  createTrackedRun,
  deleteTracked,
  findLogTarget,
  readTrackedRuns,
  saveTracked,
  saveTrackedValues,
  setTrackedStatus,
  type TrackedRunRow,
} from "#server/db/trainers/tracked.ts";
import { readPointsOf } from "#server/db/trainers/trackedPoints.ts";
import { AppError } from "#packages/base";
import { guessIdentity } from "#server/domain/trainers/import/guessIdentity.ts";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { usualSampling } from "#server/domain/trainers/import/foreignRun.ts";
import type { NewTrackedRun, RunChange, RunStore, TrackedRun } from "#server/domain/trainers/mlflow/store.ts";
import type { Applier } from "./applier.ts";
import { storeExperiment, type StudioStore } from "./studioStore.ts";
import type { Journals } from "./journals.ts";
import { addNewest, exits, findActiveRun, findRun, states, toOwnPoint, toTrackedRun } from "./toTrackedRun.ts";

type Tracking = {
  database: Database;
  applier: Applier;
  journals: Journals;
  studio: StudioStore;
  folderOf: (runId: string) => string;
};

/** Store of runs that MLflow's clients send, with measurements in journals. Other runs can only be read. */
export function makeRunStore(tracking: Tracking): RunStore {
  const { database, applier, journals, studio } = tracking;
  return {
    createRun: async (run) => toTrackedRun(await findRun(database, await createRun(tracking, run))),
    readRun: async (id) => {
      const run = await findSettled(tracking, id);
      if (!run) return readTrained(studio, id);
      const [read] = await addNewest(database, [run]);
      return read ?? toTrackedRun(run);
    },
    listRuns: async (experimentIds) => {
      const tracked = await readTrackedRuns(database, { sweepId: { in: [...experimentIds] } });
      const all = [...tracked.map(toTrackedRun), ...(await studio.listRuns({ sweepIds: experimentIds }))];
      return all.toSorted((a, b) => b.startedAtMs - a.startedAtMs);
    },
    addMetrics: async (runs) => {
      if (runs.length === 0) return [];
      await applier.settle();
      const rows = await readTrackedRuns(database, { id: { in: runs.map(({ id }) => id) } });
      const isTracked = new Set(rows.map(({ id }) => id));
      const trained = await studio.addMetrics(runs.filter(({ id }) => !isTracked.has(id)));
      const read = new Map([...(await addNewest(database, rows)), ...trained].map((run) => [run.id, run]));
      return runs.map((run) => read.get(run.id) ?? run);
    },
    changeRun: async (id, change) => {
      const run = await findRun(database, id);
      const { name, stage } = change;
      if (stage === undefined && run.stage === "deleted") await findActiveRun(database, id);
      if (name !== undefined) await saveTracked(database, id, { kind: "tag", key: "mlflow.runName", value: name });
      if (stage === "deleted") await saveTracked(database, id, { kind: "stage", key: "stage", value: stage });
      if (stage === "active") await deleteTracked(database, id, { kind: "stage", key: "stage" });
      await changeStatus(tracking, run, change);
      return toTrackedRun(await findRun(database, id));
    },
    log: async (id, { metrics, params, tags }) => {
      const target = await findActiveRun(database, id);
      await saveTrackedValues(database, id, { params, tags });
      if (metrics.length > 0) await journals.use(target, (journal) => journal.append(metrics));
    },
    logInputs: async (id, inputs) => {
      await findActiveRun(database, id);
      for (const input of inputs) {
        const { name = "", digest = "" } = input.dataset;
        await saveTracked(database, id, { kind: "input", key: `${name} ${digest}`, value: JSON.stringify(input) });
      }
    },
    deleteTag: async (id, key) => {
      await findActiveRun(database, id);
      const isDone = await deleteTracked(database, id, { kind: "tag", key });
      if (!isDone) throw new AppError("not_found", `run ${id} has no tag "${key}"`);
    },
    readHistory: async (id, key) => {
      const run = await findSettled(tracking, id);
      if (!run) return studio.readHistory((await readTrained(studio, id)).id, key);
      const { attemptId, originals } = run;
      const name = Object.entries(originals).find(([, original]) => original === key)?.[0] ?? key;
      return (await readPointsOf(database.pool, attemptId, name)).map((point) => toOwnPoint(point, originals));
    },
  };
}

/** Finds a run that a client sent, once its logged lines are applied to the database; undefined if unknown. */
async function findSettled({ database, applier }: Tracking, id: string): Promise<TrackedRunRow | undefined> {
  const target = await findLogTarget(database, id);
  if (!target) return undefined;
  await applier.settle([target.attemptId]);
  return await findRun(database, id);
}

/** Finds a run that the studio trained or imported, to which no client may send measurements. Throws `not_found`. */
async function readTrained(studio: StudioStore, id: string): Promise<TrackedRun> {
  const [run] = await studio.addMetrics(await studio.listRuns({ runIds: [id] }));
  if (!run) throw new AppError("not_found", `there is no run ${id}`);
  return run;
}

async function createRun(
  { database, folderOf }: Tracking,
  { experimentId, name = "run", startedAtMs = Date.now(), tags }: NewTrackedRun,
): Promise<string> {
  await storeExperiment(database, experimentId);
  const identity = guessIdentity(name);
  const { method, environment } = identity;
  return await createTrackedRun(database, {
    sweepId: experimentId,
    identity,
    label: titleOfEnvironment(environment),
    spec: {
      kind: "imported",
      environment: { id: environment },
      method,
      sampling: usualSampling,
      budget: { iterations: 0 },
    },
    makeFolder: async (runId) => {
      await mkdir(folderOf(runId), { recursive: true });
      return folderOf(runId);
    },
    startedAtMs,
    values: [
      ...tags.map((tag) => ({ ...tag, kind: "tag" as const })),
      { kind: "tag", key: "mlflow.runName", value: name },
    ],
  });
}

async function changeStatus(
  { database, applier, journals }: Tracking,
  run: TrackedRunRow,
  { status, endedAtMs }: RunChange,
): Promise<void> {
  if (status === undefined || status === "SCHEDULED") return;
  const { id, attemptId, folder } = run;
  const exit = exits[status];
  const isNews = states[status] !== run.status;
  if (exit) {
    const target = { runId: id, attemptId, folder };
    if (isNews) await journals.use(target, (journal) => journal.end(exit, `the trainer reported ${status}`));
    await applier.settle([attemptId]);
    await compactPoints(database.pool, attemptId, { isOver: true });
    await journals.release(attemptId);
  }
  if (isNews) await setTrackedStatus(database, id, { status: states[status], endedAtMs });
}
