import { join } from "node:path";
import type { Database } from "#server/db/storage/client.ts";
import { readTrackedRuns } from "#server/db/trainers/tracked.ts";
import type { ArtifactStore, TrackingStore } from "#server/domain/trainers/mlflow/store.ts";
import { makeApplier } from "./applier.ts";
import { artifactFolderName, checkArtifactPath, findArtifact, listArtifacts } from "./artifactFolder.ts";
import { makeExperimentStore, makeStudioStore } from "./studioStore.ts";
import { makeJournals } from "./journals.ts";
import { makeRunStore } from "./runStore.ts";
import { findActiveRun, findRun } from "./toTrackedRun.ts";

type Given = {
  home: string;
  /** Lists the readable files of a run that the studio itself trained. Throws `not_found` for an unknown run. */
  findRunFiles: (runId: string) => Promise<readonly { name: string; path: string; sizeBytes: number }[]>;
};

/**
 * Store for MLflow's clients: experiments become sweeps. A measurement is acknowledged once it is on disk, in a
 * journal, and is stored shortly after. No crash or outage loses it, and readers wait until it is stored.
 */
export function makePostgresStore(database: Database, { home, findRunFiles }: Given): TrackingStore {
  const folderOf = (runId: string) => join(home, "runs", runId, "1");
  const applier = makeApplier(database);
  const studio = makeStudioStore(database);
  const journals = makeJournals(database, applier);
  return {
    ...makeExperimentStore(database, studio),
    ...makeRunStore({ database, applier, journals, studio, folderOf }),
    ...makeArtifactStore(database, findRunFiles),
    settle: () => applier.settle(),
    close: () => journals.close(),
  };
}

function makeArtifactStore(database: Database, findRunFiles: Given["findRunFiles"]): ArtifactStore {
  const isTracked = async (id: string) => (await readTrackedRuns(database, { id })).length > 0;
  const rootOf = async (id: string) => join((await findRun(database, id)).folder, artifactFolderName);
  return {
    listArtifacts: async (id, folder) => {
      if (await isTracked(id)) return listArtifacts(await rootOf(id), folder);
      const files = checkArtifactPath(folder) === "" ? await findRunFiles(id) : [];
      return files.map(({ name, sizeBytes }) => ({ path: name, isFolder: false, sizeBytes }));
    },
    findArtifact: async (id, path) => {
      if (await isTracked(id)) return findArtifact(await rootOf(id), path);
      return (await findRunFiles(id)).find(({ name }) => name === path);
    },
    writtenFolder: async (id) => join((await findActiveRun(database, id)).folder, artifactFolderName),
  };
}
