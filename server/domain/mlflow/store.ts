/** One measurement as a client sends it: Unix time in milliseconds; NaN and ±Infinity are values. */
export type TrackedMetric = { key: string; value: number; timestampMs: number; step: number };
export type KeyValue = { key: string; value: string };

export const trackedStatuses = ["RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"] as const;
export type TrackedStatus = (typeof trackedStatuses)[number];

/** What was deleted is kept, hidden from searches, and can be restored. */
export type Stage = "active" | "deleted";

export type TrackedExperiment = {
  id: string;
  name: string;
  createdAtMs: number;
  stage: Stage;
  tags: readonly KeyValue[];
};

/** The experiment of runs that name none: it exists wherever MLflow's protocol is spoken. */
export const defaultExperiment = { id: "0", name: "Default" } as const;

/** A data set that a run has read, with tags such as `mlflow.data.context`. */
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
  /** The newest value of each metric, under the trainer's own names; none where they were not asked for. */
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
  status?: TrackedStatus | undefined;
  endedAtMs?: number | undefined;
  name?: string | undefined;
  stage?: Stage | undefined;
};

/** A file or folder among a run's artifacts; `path` is relative to their root. */
export type ArtifactEntry = { path: string; isFolder: boolean; sizeBytes: number };

export interface ExperimentStore {
  findExperiment(wanted: { name: string } | { id: string }): Promise<TrackedExperiment | undefined>;
  /** The newest first. */
  listExperiments(): Promise<readonly TrackedExperiment[]>;
  createExperiment(experiment: { name: string; tags: readonly KeyValue[] }): Promise<TrackedExperiment>;
  changeExperiment(id: string, change: { name?: string; stage?: Stage }): Promise<void>;
  /** Sets a tag, or takes it away where the value is undefined. */
  tagExperiment(id: string, tag: { key: string; value: string | undefined }): Promise<void>;
}

export interface RunStore {
  createRun(run: NewTrackedRun): Promise<TrackedRun>;
  readRun(id: string): Promise<TrackedRun>;
  /** The newest first, without their metrics. */
  listRuns(experimentIds: readonly string[]): Promise<readonly TrackedRun[]>;
  /** The same runs with the newest value of each metric. */
  addMetrics(runs: readonly TrackedRun[]): Promise<readonly TrackedRun[]>;
  changeRun(id: string, change: RunChange): Promise<TrackedRun>;
  /** When it returns, the batch outlives a crash of this process. */
  log(runId: string, batch: TrackedBatch): Promise<void>;
  logInputs(runId: string, inputs: readonly TrackedInput[]): Promise<void>;
  deleteTag(runId: string, key: string): Promise<void>;
  /** All points of one metric by the trainer's own name, in the order in which they came. */
  readHistory(runId: string, key: string): Promise<readonly TrackedMetric[]>;
}

export interface ArtifactStore {
  /** What lies directly in a folder of a run's artifacts; "" is their root. */
  listArtifacts(runId: string, folder: string): Promise<readonly ArtifactEntry[]>;
  /** Where a file among them lies on this machine; undefined where there is none. */
  findArtifact(runId: string, path: string): Promise<{ path: string; sizeBytes: number } | undefined>;
  /** The folder on this machine into which a client's artifacts are written. Throws `bad_input` for a deleted run. */
  writtenFolder(runId: string): Promise<string>;
}

/**
 * Where tracked runs are kept; the studio's other runs are read alike and refuse to be written to. A batch that was stored and is sent again changes nothing. Throws AppError: `not_found`,
 * `conflict` (exists already, or another value), `bad_input` (what is deleted takes nothing), `unavailable`.
 */
export interface TrackingStore extends ExperimentStore, RunStore, ArtifactStore {
  /** Resolves once all that was logged so far is where pages and charts read it. */
  settle(): Promise<void>;
  close(): Promise<void>;
}
