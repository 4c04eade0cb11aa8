import type { Database } from "#server/db/storage/client.ts";
import { createForeignSweep } from "#server/db/trainers/imports.ts";
import {
  findTrackedSweep,
  listTrackedSweeps,
  nameTaken,
  renameTrackedSweep,
  setExperimentStage,
  tagTrackedSweep,
} from "#server/db/trainers/tracked.ts";
import { AppError } from "#packages/base";
import type { StudioStore } from "./studioStore.ts";
import {
  defaultExperiment,
  type ExperimentStore,
  type TrackedExperiment,
} from "#server/domain/trainers/mlflow/store.ts";

/** Tracked experiments as sweeps. All other sweeps are readable as experiments, but read-only. */
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

/** The default experiment is stored at its first write. */
export async function storeExperiment(database: Database, id: string): Promise<void> {
  const isStored = async () => (await database.prisma.sweep.count({ where: { id } })) > 0;
  if (id !== defaultExperiment.id || (await isStored())) return;
  await makeSweep(database, defaultExperiment).catch(async (error: unknown) => {
    // A concurrent request was faster.
    if (!(await isStored())) throw error;
  });
}

async function readExperiment(database: Database, id: string): Promise<TrackedExperiment> {
  const experiment = await findTrackedSweep(database, { id });
  if (!experiment) throw new AppError("not_found", `there is no experiment ${id} that takes runs from outside`);
  return experiment;
}

async function makeSweep(database: Database, sweep: { name: string; id?: string }): Promise<string> {
  const { id } = await createForeignSweep(database, {
    ...sweep,
    description: "Runs that report by themselves over the tracking endpoint.",
    plan: { cells: [], runs: [] },
    // Runs are created later, each with its folder.
    folderOf: (runId) => runId,
    origin: "tracking",
  });
  return id;
}

function deletedExperiment(id: string): AppError {
  return new AppError("bad_input", `experiment ${id} is deleted: restore it first`);
}
