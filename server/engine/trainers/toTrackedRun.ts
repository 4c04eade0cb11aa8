import { AppError } from "#packages/base";
import type { Database } from "#server/db/storage/client.ts";
import { findLogTarget, readTrackedRuns, type TrackedRunRow } from "#server/db/trainers/tracked.ts";
import { readNewestPoints, type StoredMetric } from "#server/db/trainers/trackedPoints.ts";
import { fromCatalogueUnit } from "#packages/trainers";
import type { TrackedMetric, TrackedRun, TrackedStatus } from "#server/domain/trainers/mlflow/store.ts";
import type { RunStatus } from "#server/domain/runs/runStatus.ts";
import { newerOf } from "./journal.ts";
import type { TrackedTarget } from "./journals.ts";

/** Map MLflow's run states to the studio's (`states`) or to a log's exits (`exits`), and the studio's to MLflow's. */
export const states = { RUNNING: "running", FINISHED: "finished", FAILED: "failed", KILLED: "cancelled" } as const;
export const exits = { RUNNING: undefined, FINISHED: "completed", FAILED: "failed", KILLED: "interrupted" } as const;
export const statuses: Record<RunStatus, TrackedStatus> = {
  pending: "SCHEDULED",
  starting: "SCHEDULED",
  running: "RUNNING",
  unknown: "RUNNING",
  finished: "FINISHED",
  failed: "FAILED",
  cancelled: "KILLED",
};

/** Converts a stored run to the format of MLflow's tracking protocol, without metrics. */
export function toTrackedRun(run: TrackedRunRow): TrackedRun {
  const { id, sweepId, status, stage, startedAt, endedAt, params, tags, inputs } = run;
  return {
    id,
    experimentId: sweepId,
    name: tags.find(({ key }) => key === "mlflow.runName")?.value ?? run.method,
    status: statuses[status],
    stage,
    startedAtMs: startedAt?.getTime() ?? 0,
    endedAtMs: endedAt?.getTime(),
    params,
    tags,
    inputs,
    metrics: [],
  };
}

/** Returns stored runs in the format of MLflow's tracking protocol, with the latest value of each metric. */
export async function addNewest(database: Database, runs: readonly TrackedRunRow[]): Promise<TrackedRun[]> {
  const points = await readNewestPoints(
    database.pool,
    runs.map(({ attemptId }) => attemptId),
  );
  const originalsOf = new Map(runs.map(({ attemptId, originals }) => [attemptId, originals]));
  const newest = new Map<number, Map<string, TrackedMetric>>(runs.map(({ attemptId }) => [attemptId, new Map()]));
  for (const point of points) {
    const metric = toOwnPoint(point, originalsOf.get(point.attemptId) ?? {});
    const ofRun = newest.get(point.attemptId);
    const before = ofRun?.get(metric.key);
    ofRun?.set(metric.key, before === undefined ? metric : newerOf(before, metric));
  }
  return runs.map((run) => ({ ...toTrackedRun(run), metrics: [...(newest.get(run.attemptId)?.values() ?? [])] }));
}

/** Converts a stored measurement to the trainer's own metric name and unit. An unknown time becomes 0. */
export function toOwnPoint(point: StoredMetric, originals: Readonly<Record<string, string>>): TrackedMetric {
  const { iteration, value, atMs } = point;
  const key = originals[point.key] ?? point.key;
  return {
    key,
    value: key === point.key ? value : fromCatalogueUnit(key, value),
    step: iteration,
    timestampMs: Number.isNaN(atMs) ? 0 : atMs,
  };
}

/** Finds a stored run that a client sent. Throws `not_found` if it does not exist. */
export async function findRun(database: Database, id: string): Promise<TrackedRunRow> {
  const [run] = await readTrackedRuns(database, { id });
  if (!run) throw new AppError("not_found", `there is no run ${id}`);
  return run;
}

/** Finds a run to which measurements may be written. Throws `not_found`, or `bad_input` for a deleted run. */
export async function findActiveRun(database: Database, runId: string): Promise<TrackedTarget> {
  const target = await findLogTarget(database, runId);
  if (!target) throw new AppError("not_found", `there is no run ${runId}`);
  if (target.stage === "deleted") throw new AppError("bad_input", `run ${runId} is deleted: restore it first`);
  return { ...target, runId };
}
