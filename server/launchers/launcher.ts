import type { JobState } from "#server/domain/job.ts";
import type { RunSpec } from "#trainer/spec/run.ts";

/** One attempt of a run, as a launcher gets it. Job ids look like `RUN.2`: run id, dot, number of the attempt. */
export type Job = { jobId: string; spec: RunSpec };

/** A way to run jobs somewhere. Idempotent by job id: whatever is asked twice happens once. */
export interface Launcher {
  /** Name of the place, as stored with the attempt. */
  readonly node: string;
  /** Where a job's spec, log and output lie. */
  folderOf(jobId: string): string;
  launch(job: Job): Promise<void>;
  /** Many at once, because a scheduler is asked once, not per job. A time-out is `unknown`, never `lost`. */
  observe(jobIds: readonly string[]): Promise<ReadonlyMap<string, JobState>>;
  /** Asks the job to stop; asked again after a while, makes it. A job that never started never will. */
  cancel(jobId: string): Promise<void>;
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
