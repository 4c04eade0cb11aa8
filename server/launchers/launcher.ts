import type { JobState } from "#server/domain/job.ts";
import type { Processor } from "#server/domain/nodes/processor.ts";
import type { Disk } from "#server/domain/nodes/disk.ts";
import type { Gpu } from "#trainer/spec/gpus.ts";
import type { Machine } from "#trainer/spec/machine.ts";
import type { RunSpec } from "#trainer/spec/run.ts";

/**
 * One attempt of a run, as a launcher gets it. Job ids look like `RUN.2`: run id, dot, number of the attempt. `devices`
 * are the slots of the node that are leased to it, by name.
 */
export type Job = {
  jobId: string;
  spec: RunSpec;
  devices: readonly string[];
  /** Machines within the node that failed this run, where a node has many. */
  avoidHosts?: readonly string[];
};

/** A job to look at, and how much of its log is applied already: a launcher may bring what follows along. */
export type Watched = { jobId: string; logOffset: number };

/**
 * What one look at a node brought. GPUs: null where the node cannot tell, absent when it was not asked this time. Disk:
 * the one that its runs lie on, absent where that is not known; so the processors of a node that is one machine. Machines: those of the node about which a trainer there
 * has told since the look before.
 */
export type Observation = {
  states: ReadonlyMap<string, JobState>;
  contact:
    | { isMade: true; gpus?: readonly Gpu[] | null; disk?: Disk; processor?: Processor; machines?: readonly Machine[] }
    | { isMade: false; why: string };
};

/** A way to run jobs somewhere. Idempotent by job id: whatever is asked twice happens once. */
export interface Launcher {
  /** Name of the place, as stored with the attempt. */
  readonly node: string;
  /** Where a job's spec, log and output lie. */
  folderOf(jobId: string): string;
  launch(job: Job): Promise<void>;
  /**
   * Many at once, because a node or a scheduler is asked once, not per job; with no job at all it says whether the node
   * answers. A time-out is `unknown`, never `lost`. A job that is left out of the answer is looked at again next time.
   */
  observe(jobs: readonly Watched[]): Promise<Observation>;
  /** Asks the job to stop; asked again after a while, makes it. A job that never started never will. */
  cancel(jobId: string): Promise<void>;
  /** We act no longer: what was asked for and is not begun is forgotten. Whoever acts next asks again. */
  letGo?(): void;
  /** The log from this byte on, at most `maxLogBytes`; empty when there is no more (yet). */
  readLog(jobId: string, fromByte: number): Promise<Uint8Array>;
}

export const maxLogBytes = 1 << 20;

export function toJobId(runId: string, attempt: number): string {
  return `${runId}.${attempt}`;
}

/** Run and attempt of a job id. It becomes a path, so nothing but the plain form is let through. */
export function parseJobId(jobId: string): { runId: string; attempt: number } {
  const match = /^([A-Za-z0-9_-]{1,100})\.([1-9][0-9]{0,8})$/.exec(jobId);
  if (match?.[1] === undefined) throw new Error(`${JSON.stringify(jobId)} is no job id`);
  return { runId: match[1], attempt: Number(match[2]) };
}
