/** One measurement as a client logs it. Time is in Unix milliseconds; NaN and ±Infinity are valid values. */
export type TrackedMetric = { key: string; value: number; timestampMs: number; step: number };
export type KeyValue = { key: string; value: string };

export const trackedStatuses = ["RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"] as const;
export type TrackedStatus = (typeof trackedStatuses)[number];

/** State of an experiment or run. Deleted items are kept but hidden from searches, and can be restored. */
export type Stage = "active" | "deleted";

export type TrackedExperiment = {
  id: string;
  name: string;
  createdAtMs: number;
  stage: Stage;
  tags: readonly KeyValue[];
};

/** Experiment of runs that state no experiment; MLflow's protocol requires one. */
export const defaultExperiment = { id: "0", name: "Default" } as const;

export type TrackedInput = { tags: readonly KeyValue[]; dataset: Readonly<Record<string, string>> };

export type TrackedRun = {
  id: string;
  experimentId: string;
  name: string;
  status: TrackedStatus;
  stage: Stage;
  startedAtMs: number;
  endedAtMs: number | undefined;
  params: readonly KeyValue[];
  tags: readonly KeyValue[];
  inputs: readonly TrackedInput[];
  /** Latest value of each metric, under the trainer's own name; empty if metrics were not requested. */
  metrics: readonly TrackedMetric[];
};

export type NewTrackedRun = Pick<TrackedRun, "experimentId" | "tags"> & {
  name: string | undefined;
  startedAtMs: number | undefined;
};
export type TrackedBatch = Pick<TrackedRun, "metrics" | "params" | "tags">;
export type RunChange = { [Key in "status" | "endedAtMs" | "name" | "stage"]?: TrackedRun[Key] | undefined };

export type ArtifactEntry = { path: string; isFolder: boolean; sizeBytes: number };

export interface ExperimentStore {
  findExperiment(wanted: { name: string } | { id: string }): Promise<TrackedExperiment | undefined>;
  /** Lists experiments, newest first. */
  listExperiments(): Promise<readonly TrackedExperiment[]>;
  createExperiment(experiment: { name: string; tags: readonly KeyValue[] }): Promise<TrackedExperiment>;
  changeExperiment(id: string, change: { name?: string; stage?: Stage }): Promise<void>;
  /** Sets a tag of an experiment, or deletes the tag if the value is undefined. */
  tagExperiment(id: string, tag: { key: string; value: string | undefined }): Promise<void>;
}

export interface RunStore {
  createRun(run: NewTrackedRun): Promise<TrackedRun>;
  readRun(id: string): Promise<TrackedRun>;
  /** Lists runs, newest first, without metrics. */
  listRuns(experimentIds: readonly string[]): Promise<readonly TrackedRun[]>;
  addMetrics(runs: readonly TrackedRun[]): Promise<readonly TrackedRun[]>;
  changeRun(id: string, change: RunChange): Promise<TrackedRun>;
  /** Stores a batch of measurements. When the promise resolves, the batch survives a crash of this process. */
  log(runId: string, batch: TrackedBatch): Promise<void>;
  logInputs(runId: string, inputs: readonly TrackedInput[]): Promise<void>;
  deleteTag(runId: string, key: string): Promise<void>;
  /** Reads all points of one metric, given the trainer's own name, in order of arrival. */
  readHistory(runId: string, key: string): Promise<readonly TrackedMetric[]>;
}

export interface ArtifactStore {
  /** Lists the direct children of an artifact folder; "" is the root. */
  listArtifacts(runId: string, folder: string): Promise<readonly ArtifactEntry[]>;
  /** Finds the local path of an artifact; undefined if it does not exist. */
  findArtifact(runId: string, path: string): Promise<{ path: string; sizeBytes: number } | undefined>;
  /** Folder on this machine to which a client's artifacts are written. Throws `bad_input` for a deleted run. */
  writtenFolder(runId: string): Promise<string>;
}

/**
 * Storage behind MLflow's tracking protocol. It holds received runs; the studio's other runs can be read but not
 * written. Storing a batch is idempotent. Throws AppError: `not_found`, `conflict` (exists already, or has a
 * different value), `bad_input` (a deleted run or experiment is read-only), `unavailable`.
 */
export interface TrackingStore extends ExperimentStore, RunStore, ArtifactStore {
  /** Resolves once pages and charts show everything that has been logged. */
  settle(): Promise<void>;
  close(): Promise<void>;
}
