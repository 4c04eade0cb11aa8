/** State of an attempt's job as observed on its compute node; `unknown` (such as a timeout) never counts as an end. */
export type JobState =
  /** Job that is recorded, but no process was observed. `why` prevents submission, such as a scheduler's limit. */
  | { state: "submitted"; why?: string }
  /** Job in a scheduler's queue. `isStuck`: it would wait forever, so a user must act. */
  | { state: "queued"; why: string; isStuck: boolean }
  /** Running job. `host` is the machine, if the node has several; `text` contains remarks, such as "suspended". */
  | { state: "running"; pid?: number; host?: string; text?: string }
  /** Ended job whose wrapper script wrote the exit code; above 128 it is 128 + the signal's number. */
  | ({ state: "exited"; exitCode: number } & EndedBy)
  /**
   * Ended job without an exit code, on positive evidence: its pid with its start time is dead, or the boot id changed.
   */
  | ({ state: "lost"; evidence: string } & EndedBy)
  | { state: "unknown"; why: string };

/** Cause of a job's end, and the machine on which it ran, as reported by a scheduler. */
type EndedBy = { cause?: EndCause; host?: string };
export type EndCause =
  | "timed_out"
  | "preempted"
  | "node_failed"
  | "out_of_memory"
  | "expired"
  | "cancelled_outside"
  | "submit_refused";

export type EndedState = Extract<JobState, { state: "exited" | "lost" }>;

/** Returns true on positive evidence that the job has no process and will not have one. */
export function isEnded(job: JobState): job is EndedState {
  return job.state === "exited" || job.state === "lost";
}

export function textOf(job: JobState): string | null {
  switch (job.state) {
    case "submitted":
      return job.why ?? null;
    case "queued":
      return job.isStuck ? `${job.why} (waiting does not help)` : job.why;
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
