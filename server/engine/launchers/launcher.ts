import { join } from "node:path";
import type { JobState } from "#server/domain/fleet/job.ts";
import type { Disk, Processor } from "#server/domain/fleet/nodes/machine.ts";
import type { Gpu } from "#trainer/spec/gpus.ts";
import type { StoredPolicy } from "#trainer/spec/elsewhere.ts";
import type { Machine } from "#trainer/spec/machine.ts";
import type { RunSpec } from "#trainer/spec/run.ts";

/**
 * Attempt to launch; its job id is run id, dot and number (`RUN.2`). `devices`: slots that are reserved for it. With
 * `evaluates` the job only evaluates the policy of a finished run, whose specification is `spec`.
 */
export type Job = {
  jobId: string;
  spec: RunSpec;
  devices: readonly string[];
  /** Hosts to avoid, because an earlier attempt failed there; only for nodes with several hosts (Slurm clusters). */
  avoidHosts?: readonly string[];
  evaluates?: StoredPolicy;
};

/** A job to observe, and the applied bytes of its log. A launcher may fetch the following bytes at once. */
export type Watched = { jobId: string; logOffset: number };

/**
 * Result of one observation of a node. `gpus`: null if the node cannot report them, absent if not requested this time.
 * `disk` (of the runs folder) and `processor` (of a single-machine node): absent if unknown. `machines`: those that
 * trainers described since the last observation.
 */
export type Observation = {
  states: ReadonlyMap<string, JobState>;
  contact:
    | { isMade: true; gpus?: readonly Gpu[] | null; disk?: Disk; processor?: Processor; machines?: readonly Machine[] }
    | { isMade: false; why: string };
};

/** Runs jobs on a node. Idempotent by job id: a repeated request has no further effect. */
export interface Launcher {
  readonly node: string;
  /** Folder with a job's spec, log and output. */
  folderOf(jobId: string): string;
  launch(job: Job): Promise<void>;
  /**
   * Observes many jobs with one request to the node or its scheduler; without jobs it checks that the node responds. A
   * job whose request timed out is `unknown`, never `lost`. A job missing from the result is observed again next time.
   */
  observe(jobs: readonly Watched[]): Promise<Observation>;
  /** Asks the job to stop; a second call kills it. A job that has not started will never start. */
  cancel(jobId: string): Promise<void>;
  /** Drops requests not yet begun, because another process takes over and repeats them. */
  letGo?(): void;
  /** Returns the bytes of the log from `fromByte` on, at most `maxLogBytes`; empty at the log's current end. */
  readLog(jobId: string, fromByte: number): Promise<Uint8Array>;
}

export const maxLogBytes = 1 << 20;

export function toJobId(runId: string, attempt: number): string {
  return `${runId}.${attempt}`;
}

/** Lists the job ids of a run's earlier attempts, newest first. */
export function earlierJobs(jobId: string): string[] {
  const { runId, attempt } = parseJobId(jobId);
  return Array.from({ length: attempt - 1 }, (_, i) => toJobId(runId, attempt - 1 - i));
}

/** Returns the folder RUN/ATTEMPT of a job. */
export function folderIn(runsFolder: string, jobId: string): string {
  const { runId, attempt } = parseJobId(jobId);
  return join(runsFolder, runId, String(attempt));
}

/** Parses a job id. The id becomes part of a path, so only plain characters are accepted. */
export function parseJobId(jobId: string): { runId: string; attempt: number } {
  const match = /^([A-Za-z0-9_-]{1,100})\.([1-9][0-9]{0,8})$/.exec(jobId);
  if (match?.[1] === undefined) throw new Error(`${JSON.stringify(jobId)} is no job id`);
  return { runId: match[1], attempt: Number(match[2]) };
}
