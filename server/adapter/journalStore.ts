import { AppError } from "#server/domain/errors.ts";
import type {
  KeyValue,
  TrackedExperiment,
  TrackedInput,
  TrackedRun,
  TrackedStatus,
  TrackingStore,
} from "#server/domain/mlflow/store.ts";
import { listArtifacts } from "#server/tracking/artifactFolder.ts";
import type { LocalJournal } from "#server/tracking/journal.ts";
import type { Measurements } from "./measurements.ts";

type Attempt = { runId: string; artifactFolder: string; journal: LocalJournal; measurements: Measurements };

/**
 * The tracking protocol for one attempt alone: whatever experiment and run a trainer asks for, it is this one, and its
 * measurements go into the attempt's log.
 */
export function makeJournalStore({ runId, artifactFolder, journal, measurements }: Attempt): TrackingStore {
  const startedAtMs = Date.now();
  const experimentTags = new Map<string, string>();
  const params = new Map<string, string>();
  const tags = new Map<string, string>();
  const inputs: TrackedInput[] = [];
  let experimentName = "attempt";
  let status: TrackedStatus = "RUNNING";
  let name = runId;
  const experiment = (): TrackedExperiment => ({
    id: "attempt",
    name: experimentName,
    createdAtMs: startedAtMs,
    stage: "active",
    tags: toPairs(experimentTags),
  });
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
  const check = (id: string) => {
    if (id !== runId) throw new AppError("not_found", `there is no run ${id} but ${runId}`);
  };
  return {
    findExperiment: async (wanted) => {
      if ("name" in wanted) experimentName = wanted.name;
      return experiment();
    },
    listExperiments: async () => [experiment()],
    createExperiment: async (wanted) => {
      experimentName = wanted.name;
      return experiment();
    },
    changeExperiment: async (_id, change) => {
      if (change.stage === "deleted") throw new AppError("bad_input", "the experiment of a running attempt stays");
      experimentName = change.name ?? experimentName;
    },
    tagExperiment: async (_id, { key, value }) => {
      if (value === undefined) experimentTags.delete(key);
      else experimentTags.set(key, value);
    },
    createRun: async (run) => {
      name = run.name ?? name;
      for (const { key, value } of run.tags) tags.set(key, value);
      return read();
    },
    readRun: async (id) => {
      check(id);
      return read();
    },
    listRuns: async () => [read()],
    addMetrics: async (runs) => runs,
    changeRun: async (id, change) => {
      check(id);
      if (change.stage === "deleted") throw new AppError("bad_input", "the run of a running attempt stays");
      // How the attempt ended is told by the process, not by what it says before it ends.
      status = change.status ?? status;
      name = change.name ?? name;
      return read();
    },
    log: async (id, batch) => {
      check(id);
      for (const { key, value } of batch.params) params.set(key, value);
      for (const { key, value } of batch.tags) tags.set(key, value);
      await measurements.addSent(batch.metrics);
    },
    logInputs: async (id, given) => {
      check(id);
      inputs.push(...given);
    },
    deleteTag: async (id, key) => {
      check(id);
      if (!tags.delete(key)) throw new AppError("not_found", `run ${id} has no tag "${key}"`);
    },
    readHistory: async (id, key) => {
      check(id);
      return journal.history(key);
    },
    listArtifacts: async (id, folder) => {
      check(id);
      return await listArtifacts(artifactFolder, folder);
    },
    artifactFolder: async (id) => {
      check(id);
      return artifactFolder;
    },
    settle: async () => undefined,
    close: () => journal.close(),
  };
}

function toPairs(values: ReadonlyMap<string, string>): KeyValue[] {
  return [...values].map(([key, value]) => ({ key, value }));
}
