import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "#server/db/client.ts";
import { createForeignSweep } from "#server/db/imports.ts";
import { compactPoints } from "#server/db/pointWrites.ts";
import {
  createTrackedRun,
  deleteTracked,
  findLogTarget,
  findTrackedSweep,
  listTrackedSweeps,
  readTrackedRuns,
  renameTrackedSweep,
  saveTracked,
  saveTrackedValues,
  setExperimentStage,
  setTrackedStatus,
  tagTrackedSweep,
  type TrackedRunRow,
} from "#server/db/tracked.ts";
import { readPointsOf } from "#server/db/trackedPoints.ts";
import { AppError } from "#server/domain/errors.ts";
import { guessIdentity } from "#server/domain/import/guessIdentity.ts";
import { titleOf } from "#server/domain/import/planImport.ts";
import { usualSampling } from "#server/domain/import/usualSampling.ts";
import {
  defaultExperiment,
  type RunChange,
  type TrackedExperiment,
  type TrackingStore,
} from "#server/domain/mlflow/store.ts";
import { makeApplier } from "./applier.ts";
import { artifactFolderName, listArtifacts } from "./artifactFolder.ts";
import { makeJournals, type TrackedTarget } from "./journals.ts";
import { addNewest, exits, states, toOwnPoint, toTrackedRun } from "./toTrackedRun.ts";

/**
 * Tracked experiments as sweeps and their runs as runs: measurements are acknowledged once a journal in the run's folder
 * has them on the disk, and go from there through the usual ingest shortly after, so that a crash or an outage in between
 * loses nothing. What asks for measurements waits for that.
 */
export function makePostgresStore(database: Database, home: string): TrackingStore {
  const folderOf = (runId: string) => join(home, "runs", runId, "1");
  const applier = makeApplier(database);
  const journals = makeJournals(database, applier);

  const find = async (id: string): Promise<TrackedRunRow> => {
    const [run] = await readTrackedRuns(database, { id });
    if (!run) throw new AppError("not_found", `there is no run ${id}`);
    return run;
  };
  /** The run, after what was logged of it so far is applied. */
  const findSettled = async (id: string): Promise<TrackedRunRow> => {
    const target = await findLogTarget(database, id);
    if (target) await applier.settle([target.attemptId]);
    return await find(id);
  };
  const findActive = async (runId: string): Promise<TrackedTarget> => {
    const target = await findLogTarget(database, runId);
    if (!target) throw new AppError("not_found", `there is no run ${runId}`);
    if (target.stage === "deleted") throw new AppError("bad_input", `run ${runId} is deleted: restore it first`);
    return { ...target, runId };
  };
  const findExperiment = async (id: string): Promise<TrackedExperiment> => {
    const experiment = await findTrackedSweep(database, { id });
    if (!experiment) throw new AppError("not_found", `there is no experiment ${id}`);
    return experiment;
  };
  const makeSweep = async (sweep: { name: string; id?: string }): Promise<string> => {
    const plan = { cells: [], runs: [], notes: [] };
    const description = "Runs that report by themselves over the tracking endpoint.";
    const { id } = await createForeignSweep(database, { ...sweep, description, plan, folderOf, origin: "tracking" });
    return id;
  };
  /** The default experiment is stored once something is said of it. */
  const store = async (experimentId: string): Promise<void> => {
    if (
      experimentId !== defaultExperiment.id ||
      (await database.prisma.sweep.count({ where: { id: experimentId } })) > 0
    )
      return;
    await makeSweep(defaultExperiment).catch(async (error: unknown) => {
      // Somebody else was first.
      if ((await database.prisma.sweep.count({ where: { id: experimentId } })) === 0) throw error;
    });
  };
  const changeStatus = async (run: TrackedRunRow, { status, endedAtMs }: RunChange): Promise<void> => {
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
  };

  return {
    findExperiment: (wanted) => findTrackedSweep(database, wanted),
    listExperiments: () => listTrackedSweeps(database),
    createExperiment: async ({ name, tags }) => {
      if (await findTrackedSweep(database, { name })) {
        throw new AppError("conflict", `experiment "${name}" exists already`);
      }
      const id = await makeSweep({ name });
      for (const tag of tags) await tagTrackedSweep(database, id, tag);
      return await findExperiment(id);
    },
    changeExperiment: async (id, { name, stage }) => {
      const experiment = await findExperiment(id);
      await store(id);
      if (name !== undefined) {
        if (experiment.stage === "deleted") throw deletedExperiment(id);
        const other = await findTrackedSweep(database, { name });
        if (other && other.id !== id) throw new AppError("conflict", `experiment "${name}" exists already`);
        await renameTrackedSweep(database, id, name);
      }
      if (stage !== undefined) await setExperimentStage(database, id, stage);
    },
    tagExperiment: async (id, tag) => {
      if ((await findExperiment(id)).stage === "deleted") throw deletedExperiment(id);
      await store(id);
      const isDone = await tagTrackedSweep(database, id, tag);
      if (!isDone) throw new AppError("not_found", `experiment ${id} has no tag "${tag.key}"`);
    },
    createRun: async ({ experimentId, name = "run", startedAtMs = Date.now(), tags }) => {
      await store(experimentId);
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
      return toTrackedRun(await find(id));
    },
    readRun: async (id) => {
      const run = await findSettled(id);
      const [read] = await addNewest(database, [run]);
      return read ?? toTrackedRun(run);
    },
    listRuns: async (experimentIds) =>
      (await readTrackedRuns(database, { sweepId: { in: [...experimentIds] } })).map(toTrackedRun),
    addMetrics: async (runs) => {
      if (runs.length === 0) return [];
      await applier.settle();
      const rows = await readTrackedRuns(database, { id: { in: runs.map(({ id }) => id) } });
      const read = new Map((await addNewest(database, rows)).map((run) => [run.id, run]));
      return runs.map((run) => read.get(run.id) ?? run);
    },
    changeRun: async (id, change) => {
      const run = await find(id);
      const { name, stage } = change;
      if (stage === undefined && run.stage === "deleted") await findActive(id);
      if (name !== undefined) await saveTracked(database, id, { kind: "tag", key: "mlflow.runName", value: name });
      if (stage === "deleted") await saveTracked(database, id, { kind: "stage", key: "stage", value: stage });
      if (stage === "active") await deleteTracked(database, id, { kind: "stage", key: "stage" });
      await changeStatus(run, change);
      return toTrackedRun(await find(id));
    },
    log: async (id, { metrics, params, tags }) => {
      const target = await findActive(id);
      await saveTrackedValues(database, id, { params, tags });
      if (metrics.length > 0) await journals.use(target, (journal) => journal.append(metrics));
    },
    logInputs: async (id, inputs) => {
      await findActive(id);
      for (const input of inputs) {
        const { name = "", digest = "" } = input.dataset;
        await saveTracked(database, id, { kind: "input", key: `${name} ${digest}`, value: JSON.stringify(input) });
      }
    },
    deleteTag: async (id, key) => {
      await findActive(id);
      const isDone = await deleteTracked(database, id, { kind: "tag", key });
      if (!isDone) throw new AppError("not_found", `run ${id} has no tag "${key}"`);
    },
    readHistory: async (id, key) => {
      const { attemptId, originals } = await findSettled(id);
      const name = Object.entries(originals).find(([, original]) => original === key)?.[0] ?? key;
      return (await readPointsOf(database.pool, attemptId, name)).map((point) => toOwnPoint(point, originals));
    },
    listArtifacts: async (id, folder) => await listArtifacts(join((await find(id)).folder, artifactFolderName), folder),
    artifactFolder: async (id, { isWritten }) =>
      join((isWritten ? await findActive(id) : await find(id)).folder, artifactFolderName),
    settle: () => applier.settle(),
    close: () => journals.close(),
  };
}

function deletedExperiment(id: string): AppError {
  return new AppError("bad_input", `experiment ${id} is deleted: restore it first`);
}
