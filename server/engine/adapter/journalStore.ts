import { AppError } from "#packages/base";
import type {
  ArtifactStore,
  ExperimentStore,
  KeyValue,
  RunStore,
  TrackedExperiment,
  TrackedInput,
  TrackedRun,
  TrackedStatus,
  TrackingStore,
} from "#server/domain/trainers/mlflow/store.ts";
import { findArtifact, listArtifacts } from "#server/engine/trainers/artifactFolder.ts";
import type { LocalJournal } from "#server/engine/trainers/journal.ts";
import type { Measurements } from "./measurements.ts";

type Attempt = { runId: string; artifactFolder: string; journal: LocalJournal; measurements: Measurements };

/** Makes an MLflow store for one attempt: measurements go to its log, whichever run the trainer names. */
export function makeJournalStore(attempt: Attempt): TrackingStore {
  return {
    ...makeOnlyExperiment(),
    ...makeOnlyRun(attempt),
    ...makeOnlyArtifacts(attempt),
    settle: async () => undefined,
    close: () => attempt.journal.close(),
  };
}

function makeOnlyExperiment(): ExperimentStore {
  const createdAtMs = Date.now();
  const tags = new Map<string, string>();
  let name = "attempt";
  const read = (): TrackedExperiment => ({ id: "attempt", name, createdAtMs, stage: "active", tags: toPairs(tags) });
  return {
    findExperiment: async (wanted) => {
      if ("name" in wanted) ({ name } = wanted);
      return read();
    },
    listExperiments: async () => [read()],
    createExperiment: async (wanted) => {
      ({ name } = wanted);
      return read();
    },
    changeExperiment: async (_id, change) => {
      if (change.stage === "deleted")
        throw new AppError("bad_input", "the experiment of a running attempt cannot be deleted");
      name = change.name ?? name;
    },
    tagExperiment: async (_id, { key, value }) => {
      if (value === undefined) tags.delete(key);
      else tags.set(key, value);
    },
  };
}

function makeOnlyRun({ runId, journal, measurements }: Attempt): RunStore {
  const startedAtMs = Date.now();
  const params = new Map<string, string>();
  const tags = new Map<string, string>();
  const inputs: TrackedInput[] = [];
  let status: TrackedStatus = "RUNNING";
  let name = runId;
  const read = (): TrackedRun => ({
    id: runId,
    experimentId: "attempt",
    name,
    status,
    stage: "active",
    startedAtMs,
    endedAtMs: undefined,
    params: toPairs(params),
    tags: toPairs(tags),
    inputs,
    metrics: journal.newest(),
  });
  return {
    createRun: async (run) => {
      name = run.name ?? name;
      for (const { key, value } of run.tags) tags.set(key, value);
      return read();
    },
    readRun: async (id) => {
      checkRun(id, runId);
      return read();
    },
    listRuns: async () => [read()],
    addMetrics: async (runs) => runs,
    changeRun: async (id, change) => {
      checkRun(id, runId);
      if (change.stage === "deleted") throw new AppError("bad_input", "the run of a running attempt cannot be deleted");
      // The attempt ends when the process exits; a status that the trainer reported earlier does not end it.
      status = change.status ?? status;
      name = change.name ?? name;
      return read();
    },
    log: async (id, batch) => {
      checkRun(id, runId);
      for (const { key, value } of batch.params) params.set(key, value);
      for (const { key, value } of batch.tags) tags.set(key, value);
      await measurements.addSent(batch.metrics);
    },
    logInputs: async (id, given) => {
      checkRun(id, runId);
      inputs.push(...given);
    },
    deleteTag: async (id, key) => {
      checkRun(id, runId);
      if (!tags.delete(key)) throw new AppError("not_found", `run ${id} has no tag "${key}"`);
    },
    readHistory: async (id, key) => {
      checkRun(id, runId);
      return journal.history(key);
    },
  };
}

function makeOnlyArtifacts({ runId, artifactFolder }: Attempt): ArtifactStore {
  const rootOf = (id: string): string => {
    checkRun(id, runId);
    return artifactFolder;
  };
  return {
    listArtifacts: async (id, folder) => await listArtifacts(rootOf(id), folder),
    findArtifact: async (id, path) => await findArtifact(rootOf(id), path),
    writtenFolder: async (id) => rootOf(id),
  };
}

function checkRun(id: string, runId: string): void {
  if (id !== runId) throw new AppError("not_found", `there is no run ${id} but ${runId}`);
}

function toPairs(values: ReadonlyMap<string, string>): KeyValue[] {
  return [...values].map(([key, value]) => ({ key, value }));
}
