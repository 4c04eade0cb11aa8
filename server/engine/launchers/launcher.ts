import type { JobState } from "#server/domain/fleet/job.ts";
import type { Disk, Processor } from "#server/domain/fleet/nodes/machine.ts";
import type { Gpu } from "#trainer/spec/gpus.ts";
import type { StoredPolicy } from "#trainer/spec/elsewhere.ts";
import type { Machine } from "#trainer/spec/machine.ts";
import type { RunSpec } from "#trainer/spec/run.ts";

/**
 * One attempt of a run, as passed to a launcher. Job id: run id, dot, number of the attempt (`RUN.2`). `devices`: names
 * of the node's slots leased to it. With `evaluates` the job only evaluates the policy of a finished run, whose
 * specification is `spec`.
 */
export type Job = {
  jobId: string;
  spec: RunSpec;
  devices: readonly string[];
  /** Machines of a multi-machine node on which this run failed. */
  avoidHosts?: readonly string[];
  evaluates?: StoredPolicy;
};

/**
 * A job to observe, and the length of its log that is already applied. A launcher may fetch the following bytes in the
 * same request.
 */
export type Watched = { jobId: string; logOffset: number };

/**
 * Result of one observation of a node. GPUs: null if the node cannot tell, absent if not asked this time. Disk of its
 * runs and processors of a single-machine node: absent if unknown. Machines: those that trainers reported since the
 * last observation.
 */
export type Observation = {
  states: ReadonlyMap<string, JobState>;
  contact:
    | { isMade: true; gpus?: readonly Gpu[] | null; disk?: Disk; processor?: Processor; machines?: readonly Machine[] }
    | { isMade: false; why: string };
};

/** Runs jobs on a node. Idempotent by job id: a repeated request has no further effect. */
export interface Launcher {
  /** Name of the node, stored with the attempt. */
  readonly node: string;
  /** Folder with a job's spec, log and output. */
  folderOf(jobId: string): string;
  launch(job: Job): Promise<void>;
  /**
   * Observes many jobs with one request to the node or scheduler; without jobs it checks that the node answers. A
   * timeout is `unknown`, never `lost`. A job missing from the answer is observed again next time.
   */
  observe(jobs: readonly Watched[]): Promise<Observation>;
  /** Asks the job to stop; a later call kills it. A job not yet started will never start. */
  cancel(jobId: string): Promise<void>;
  /** Called when this process has lost leadership. Drops requests that have not begun; the next leader repeats them. */
  letGo?(): void;
  /** Returns the log from this byte on, at most `maxLogBytes`; empty at the log's current end. */
  readLog(jobId: string, fromByte: number): Promise<Uint8Array>;
}

export const maxLogBytes = 1 << 20;

export function toJobId(runId: string, attempt: number): string {
  return `${runId}.${attempt}`;
}

/** Parses run and attempt from a job id. The id becomes part of a path, so only the plain form is accepted. */
export function parseJobId(jobId: string): { runId: string; attempt: number } {
  const match = /^([A-Za-z0-9_-]{1,100})\.([1-9][0-9]{0,8})$/.exec(jobId);
  if (match?.[1] === undefined) throw new Error(`${JSON.stringify(jobId)} is no job id`);
  return { runId: match[1], attempt: Number(match[2]) };
}
