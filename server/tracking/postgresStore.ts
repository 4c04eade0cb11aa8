import { join } from "node:path";
import type { Database } from "#server/db/client.ts";
import type { ArtifactStore, TrackingStore } from "#server/domain/mlflow/store.ts";
import { makeApplier } from "./applier.ts";
import { artifactFolderName, listArtifacts } from "./artifactFolder.ts";
import { makeExperimentStore } from "./experimentStore.ts";
import { makeJournals } from "./journals.ts";
import { makeRunStore } from "./runStore.ts";
import { findActiveRun, findRun } from "./trackedRuns.ts";

/**
 * Tracked experiments as sweeps and their runs as runs: measurements are acknowledged once a journal in the run's folder
 * has them on the disk, and go from there through the usual ingest shortly after, so that a crash or an outage in between
 * loses nothing. What asks for measurements waits for that.
 */
export function makePostgresStore(database: Database, home: string): TrackingStore {
  const folderOf = (runId: string) => join(home, "runs", runId, "1");
  const applier = makeApplier(database);
  const journals = makeJournals(database, applier);
  return {
    ...makeExperimentStore(database),
    ...makeRunStore({ database, applier, journals, folderOf }),
    ...makeArtifactStore(database),
    settle: () => applier.settle(),
    close: () => journals.close(),
  };
}

function makeArtifactStore(database: Database): ArtifactStore {
  return {
    listArtifacts: async (id, folder) =>
      await listArtifacts(join((await findRun(database, id)).folder, artifactFolderName), folder),
    artifactFolder: async (id, { isWritten }) =>
      join((isWritten ? await findActiveRun(database, id) : await findRun(database, id)).folder, artifactFolderName),
  };
}
