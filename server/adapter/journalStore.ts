import { AppError } from "#server/domain/errors.ts";
import type { KeyValue, TrackedMetric, TrackedRun, TrackedStatus, TrackingStore } from "#server/domain/mlflow/store.ts";
import type { Journal } from "#server/tracking/journal.ts";

/**
 * The tracking protocol for one attempt alone: whatever experiment and run a trainer asks for, it is this one, and its
 * measurements go into the attempt's log.
 */
export function makeJournalStore(journal: Journal, runId: string): TrackingStore {
  const startedAtMs = Date.now();
  const experiment = { id: "attempt", name: "attempt", createdAtMs: startedAtMs };
  const params = new Map<string, string>();
  const tags = new Map<string, string>();
  let status: TrackedStatus = "RUNNING";
  let name = runId;
  const read = async (): Promise<TrackedRun> => ({
    id: runId,
    experimentId: experiment.id,
    name,
    status,
    startedAtMs,
    endedAtMs: undefined,
    params: toPairs(params),
    tags: toPairs(tags),
    metrics: [...new Map((await journal.read()).map((metric) => [metric.key, metric])).values()],
  });
  const check = (id: string) => {
    if (id !== runId) throw new AppError("not_found", `there is no run ${id} but ${runId}`);
  };
  return {
    findExperiment: async (wanted) => ("name" in wanted ? { ...experiment, name: wanted.name } : experiment),
    listExperiments: async () => [experiment],
    createExperiment: async (name) => ({ ...experiment, name }),
    createRun: async (run) => {
      name = run.name ?? name;
      for (const { key, value } of run.tags) tags.set(key, value);
      return await read();
    },
    readRun: async (id) => {
      check(id);
      return await read();
    },
    listRuns: async () => [await read()],
    changeRun: async (id, change) => {
      check(id);
      // How the attempt ended is told by the process, not by what it says before it ends.
      status = change.status ?? status;
      name = change.name ?? name;
      return await read();
    },
    log: async (id, batch) => {
      check(id);
      for (const { key, value } of batch.params) params.set(key, value);
      for (const { key, value } of batch.tags) tags.set(key, value);
      await journal.append(batch.metrics);
    },
    readHistory: async (id, key): Promise<TrackedMetric[]> => {
      check(id);
      return (await journal.read()).filter((metric) => metric.key === key);
    },
  };
}

function toPairs(values: ReadonlyMap<string, string>): KeyValue[] {
  return [...values].map(([key, value]) => ({ key, value }));
}
