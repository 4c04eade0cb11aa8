import type { Database } from "#server/db/storage/client.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { createForeignSweep } from "#server/db/trainers/imports.ts";
import {
  listStudioSweeps,
  readLastValues,
  readStudioCells,
  readStudioRuns,
  type StudioCell,
  type StudioRun,
  type StudioSweep,
} from "#server/db/trainers/studioRuns.ts";
import { AppError, groupBy } from "#packages/base";
import {
  findTrackedSweep,
  listTrackedSweeps,
  nameTaken,
  renameTrackedSweep,
  setExperimentStage,
  tagTrackedSweep,
} from "#server/db/trainers/tracked.ts";
import {
  defaultExperiment,
  type ExperimentStore,
  type KeyValue,
  type TrackedExperiment,
  type TrackedMetric,
  type TrackedRun,
} from "#server/domain/trainers/mlflow/store.ts";
import { leavesOf } from "#trainer/spec/leaves.ts";
import { statuses } from "./toTrackedRun.ts";

/** Read-only view of all other runs for MLflow's clients: sweeps are experiments, settings are parameters. */
export function makeStudioStore({ pool }: Database) {
  return {
    listExperiments: async () => (await listStudioSweeps(pool)).map(toExperiment),
    /** Finds an experiment, which is a sweep, by id or name: the newest with that name. */
    findExperiment: async (wanted: { name: string } | { id: string }) => {
      const [sweep] = await listStudioSweeps(pool, wanted);
      return sweep && toExperiment(sweep);
    },
    listRuns: async (
      wanted: { sweepIds: readonly string[] } | { runIds: readonly string[] },
    ): Promise<TrackedRun[]> => {
      const runs = await readStudioRuns(pool, wanted);
      const cells = await readStudioCells(pool, [...new Set(runs.map(({ cellId }) => cellId))]);
      // All seeds of a cell share its parameters, which are built once.
      const params = new Map([...cells].map(([id, cell]) => [id, paramsOf(cell)]));
      return runs.flatMap((run) => {
        const cell = cells.get(run.cellId);
        return cell ? [toRun(run, cell, params.get(run.cellId) ?? [])] : [];
      });
    },
    addMetrics: async (runs: readonly TrackedRun[]): Promise<TrackedRun[]> => {
      const values = groupBy(
        await readLastValues(
          pool,
          runs.map(({ id }) => id),
        ),
        ({ runId }) => runId,
      );
      return runs.map((run) => ({
        ...run,
        metrics: (values.get(run.id) ?? []).map(({ key, last }) => ({ key, value: last, ...lastMoment(run) })),
      }));
    },
    readHistory: async (runId: string, key: string): Promise<TrackedMetric[]> => {
      const [series] = await readSeries(pool, { runIds: [runId], keys: [key] });
      if (!series) return [];
      const { iterations, values } = series;
      return Array.from(iterations, (step, i) => ({ key, step, value: values[i] ?? NaN, timestampMs: 0 }));
    },
  };
}

export type StudioStore = ReturnType<typeof makeStudioStore>;

function toExperiment({ id, name, createdAt, tags }: StudioSweep): TrackedExperiment {
  const words = tags.map((tag) => ({ key: `arlarena.tag.${tag}`, value: "true" }));
  return { id, name, createdAtMs: createdAt.getTime(), stage: "active", tags: words };
}

/** Returns method, environment, seed and settings as parameters, named by their paths in the specification. */
function paramsOf({ method, spec }: StudioCell): KeyValue[] {
  const settings = leavesOf(spec)
    .filter(([path]) => path[0] !== "kind" && path[0] !== "v")
    .map(([path, value]) => ({
      key: path.join("."),
      value: typeof value === "string" ? value : JSON.stringify(value),
    }));
  return [{ key: "method", value: method }, ...settings];
}

function toRun(run: StudioRun, { method, label }: StudioCell, params: readonly KeyValue[]): TrackedRun {
  const name = [method, label, `seed ${run.seed}`].filter((part) => part !== "").join(" · ");
  const tags = run.tags.map((tag) => ({ key: `arlarena.tag.${tag}`, value: "true" }));
  if (run.note !== "") tags.push({ key: "mlflow.note.content", value: run.note });
  return {
    id: run.id,
    experimentId: run.sweepId,
    name,
    status: statuses[run.status],
    stage: "active",
    startedAtMs: (run.startedAt ?? run.createdAt).getTime(),
    endedAtMs: run.endedAt?.getTime(),
    params: [...params, { key: "seed", value: String(run.seed) }],
    tags: [...tags, { key: "arlarena.iterations", value: String(run.latestIteration) }],
    inputs: [],
    metrics: [],
  };
}

/** Returns a run's last iteration and time, for the latest values of metrics, whose own times are not stored. */
function lastMoment({ endedAtMs, startedAtMs, tags }: TrackedRun): { step: number; timestampMs: number } {
  const iterations = tags.find(({ key }) => key === "arlarena.iterations")?.value;
  return { step: Number(iterations ?? 0), timestampMs: endedAtMs ?? startedAtMs };
}

/** Stores MLflow clients' experiments as sweeps. Clients can read other sweeps, but not change them. */
export function makeExperimentStore(database: Database, studio: StudioStore): ExperimentStore {
  return {
    findExperiment: async (wanted) =>
      (await findTrackedSweep(database, wanted)) ?? (await studio.findExperiment(wanted)),
    listExperiments: async () => {
      const all = [...(await listTrackedSweeps(database)), ...(await studio.listExperiments())];
      return all.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
    },
    createExperiment: async ({ name, tags }) => {
      if (await findTrackedSweep(database, { name })) throw nameTaken(name);
      const id = await makeSweep(database, { name });
      for (const tag of tags) await tagTrackedSweep(database, id, tag);
      return await readExperiment(database, id);
    },
    changeExperiment: async (id, { name, stage }) => {
      const experiment = await readExperiment(database, id);
      await storeExperiment(database, id);
      if (name !== undefined) {
        if (experiment.stage === "deleted") throw deletedExperiment(id);
        const other = await findTrackedSweep(database, { name });
        if (other && other.id !== id) throw nameTaken(name);
        await renameTrackedSweep(database, id, name);
      }
      if (stage !== undefined) await setExperimentStage(database, id, stage);
    },
    tagExperiment: async (id, tag) => {
      if ((await readExperiment(database, id)).stage === "deleted") throw deletedExperiment(id);
      await storeExperiment(database, id);
      const isDone = await tagTrackedSweep(database, id, tag);
      if (!isDone) throw new AppError("not_found", `experiment ${id} has no tag "${tag.key}"`);
    },
  };
}

/** Stores MLflow's default experiment, unless it is stored already. */
export async function storeExperiment(database: Database, id: string): Promise<void> {
  const isStored = async () => (await database.prisma.sweep.count({ where: { id } })) > 0;
  if (id !== defaultExperiment.id || (await isStored())) return;
  await makeSweep(database, defaultExperiment).catch(async (error: unknown) => {
    // A concurrent request has already stored the experiment.
    if (!(await isStored())) throw error;
  });
}

async function readExperiment(database: Database, id: string): Promise<TrackedExperiment> {
  const experiment = await findTrackedSweep(database, { id });
  if (!experiment) throw new AppError("not_found", `there is no experiment ${id} that receives external runs`);
  return experiment;
}

async function makeSweep(database: Database, sweep: { name: string; id?: string }): Promise<string> {
  const { id } = await createForeignSweep(database, {
    ...sweep,
    description: "Runs that report by themselves over the tracking endpoint.",
    plan: { cells: [], runs: [] },
    // Runs are created later, and each run gets its own folder.
    folderOf: (runId) => runId,
    origin: "tracking",
  });
  return id;
}

function deletedExperiment(id: string): AppError {
  return new AppError("bad_input", `experiment ${id} is deleted: restore it first`);
}
