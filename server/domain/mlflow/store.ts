/** One measurement as a client sends it: Unix time in milliseconds; NaN and ±Infinity are values. */
export type TrackedMetric = { key: string; value: number; timestampMs: number; step: number };
export type KeyValue = { key: string; value: string };

export const trackedStatuses = ["RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"] as const;
export type TrackedStatus = (typeof trackedStatuses)[number];

export type TrackedExperiment = { id: string; name: string; createdAtMs: number };

export type TrackedRun = {
  id: string;
  experimentId: string;
  name: string;
  status: TrackedStatus;
  startedAtMs: number;
  endedAtMs: number | undefined;
  params: readonly KeyValue[];
  tags: readonly KeyValue[];
  /** The newest value of each metric, under the trainer's own names. */
  metrics: readonly TrackedMetric[];
};

export type NewTrackedRun = {
  experimentId: string;
  name: string | undefined;
  startedAtMs: number | undefined;
  tags: readonly KeyValue[];
};
export type TrackedBatch = {
  metrics: readonly TrackedMetric[];
  params: readonly KeyValue[];
  tags: readonly KeyValue[];
};
export type RunChange = {
  status: TrackedStatus | undefined;
  endedAtMs: number | undefined;
  name: string | undefined;
};

/**
 * Where tracked runs are kept. A batch that was stored and is sent again changes nothing. Throws AppError: `not_found`,
 * `conflict` (exists already, or another value), `unavailable`.
 */
export interface TrackingStore {
  findExperiment(wanted: { name: string } | { id: string }): Promise<TrackedExperiment | undefined>;
  listExperiments(): Promise<readonly TrackedExperiment[]>;
  createExperiment(name: string): Promise<TrackedExperiment>;
  createRun(run: NewTrackedRun): Promise<TrackedRun>;
  readRun(id: string): Promise<TrackedRun>;
  listRuns(experimentIds: readonly string[]): Promise<readonly TrackedRun[]>;
  changeRun(id: string, change: RunChange): Promise<TrackedRun>;
  log(runId: string, batch: TrackedBatch): Promise<void>;
  /** All points of one metric by the trainer's own name. */
  readHistory(runId: string, key: string): Promise<readonly TrackedMetric[]>;
}
