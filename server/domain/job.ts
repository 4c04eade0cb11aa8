/** What a launcher saw of a job. `unknown` (a time-out, an unreachable host) is never evidence of an end. */
export type JobState =
  /** Recorded; no process seen yet. On a scheduler this is the queue and may last. */
  | { state: "submitted" }
  | { state: "running"; pid: number }
  /** The wrapper wrote the exit code. Above 128 it is 128 + signal. */
  | { state: "exited"; exitCode: number }
  /** Positive evidence that the process is gone (dead pid with its start time, other boot id), without an exit code. */
  | { state: "lost"; evidence: string }
  | { state: "unknown"; why: string };

/** True on positive evidence that no process of this job is alive or will be. */
export function isEnded(job: JobState): boolean {
  return job.state === "exited" || job.state === "lost";
}
