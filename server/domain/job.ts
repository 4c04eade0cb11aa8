/** What a launcher saw of a job. `unknown` (a time-out, an unreachable host) is never evidence of an end. */
export type JobState =
  /** Recorded; no process seen yet. `why`: what keeps it from being handed over, such as a scheduler's limit. */
  | { state: "submitted"; why?: string }
  /** A scheduler has it and has not started it. Stuck: no waiting cures the reason, somebody has to act. */
  | { state: "queued"; why: string; isStuck: boolean }
  /** `host`: the machine within the node, where a node has many. `text`: what else is said of it, such as "suspended". */
  | { state: "running"; pid?: number; host?: string; text?: string }
  /** The wrapper wrote the exit code. Above 128 it is 128 + signal. */
  | ({ state: "exited"; exitCode: number } & EndedBy)
  /** Positive evidence that the process is gone (dead pid with its start time, other boot id), without an exit code. */
  | ({ state: "lost"; evidence: string } & EndedBy)
  | { state: "unknown"; why: string };

/** What a scheduler says of an end beside the exit code, and the machine it happened on. */
type EndedBy = { cause?: EndCause; host?: string };
export type EndCause =
  "timed_out" | "preempted" | "node_failed" | "out_of_memory" | "expired" | "cancelled_outside" | "submit_refused";

/** True on positive evidence that no process of this job is alive or will be. */
export function isEnded(job: JobState): boolean {
  return job.state === "exited" || job.state === "lost";
}

/** What is worth reading of a job's state beside its name; null when there is nothing. */
export function textOf(job: JobState): string | null {
  switch (job.state) {
    case "submitted":
      return job.why ?? null;
    case "queued":
      return job.isStuck ? `${job.why} (waiting does not cure this)` : job.why;
    case "running":
      return job.text ?? null;
    case "exited":
      return job.cause?.replaceAll("_", " ") ?? null;
    case "lost":
      return job.evidence;
    case "unknown":
      return job.why;
  }
}
