import type { EndCause, JobState } from "#server/domain/fleet/job.ts";
import { notOursCode } from "./sbatchText.ts";
import { absenceMs } from "./stateReports.ts";
import type { SlurmState } from "./slurmState.ts";

export type Traces = {
  exitCode: number | undefined;
  /** Time since the exit code was written, in ms. */
  exitAgeMs: number;
  /** Reason why Slurm ended the job early, if the batch script could tell when it was signalled. */
  cause: "timed_out" | "node_failed" | undefined;
  /** True if a batch script has started in the folder and claimed it. */
  isClaimed: boolean;
  /** Time in ms since Slurm first reported the job as ended while the job's folder contained no file. */
  bareForMs: number;
};

/** Time in ms after which a shared file system surely shows others' writes: NFS clients refresh within a minute. */
const showsAfterMs = 90_000;

type Ended = Extract<SlurmState, { is: "ended" }>;

const causes: Record<Ended["how"], EndCause | undefined> = {
  completed: undefined,
  failed: undefined,
  timed_out: "timed_out",
  preempted: "preempted",
  node_failed: "node_failed",
  vanished: "node_failed",
  out_of_memory: "out_of_memory",
  cancelled: "cancelled_outside",
  expired: "expired",
};

/**
 * Derives a job's state from Slurm's report and the job's files. Slurm may report an exit's cause late, so a non-zero
 * code waits for that report; without one, the code alone is used after `absenceMs`.
 */
export function toJobState(slurm: SlurmState, traces: Traces, host?: string): JobState {
  const where = host !== undefined && { host };
  const { exitCode } = traces;
  if (slurm.is === "queued") return { state: "queued", why: slurm.reason, isStuck: slurm.isHopeless };
  if (slurm.is === "ended") return fromEnd(slurm, traces, host);
  const isBelieved = exitCode === 0 || traces.exitAgeMs >= absenceMs;
  if (exitCode !== undefined && isBelieved) {
    return { state: "exited", exitCode, ...where, ...(traces.cause && { cause: traces.cause }) };
  }
  switch (slurm.is) {
    case "starting":
      return { state: "queued", why: "its machines are being prepared", isStuck: false };
    case "running":
      return { state: "running", ...where };
    case "suspended":
      return { state: "running", ...where, text: "suspended by Slurm" };
    case "finishing":
      return { state: "running", ...where, text: "ending" };
    case "unknown":
      return { state: "unknown", why: slurm.why };
  }
}

/** True if the batch script exited by itself, successfully or not, rather than being ended by Slurm. */
export function hasLeft(slurm: SlurmState): boolean {
  return slurm.is === "ended" && (slurm.how === "completed" || slurm.how === "failed");
}

function fromEnd(end: Ended, traces: Traces, host: string | undefined): JobState {
  const { exitCode, cause: noted, isClaimed, bareForMs } = traces;
  // The script's note about a time limit counts only without a cause from Slurm: the program may have exited in time.
  const cause = causes[end.how] ?? noted;
  const more = { ...(cause && { cause }), ...(host !== undefined && { host }) };
  if (exitCode !== undefined) return { state: "exited", exitCode, ...more };
  const code = end.signal > 0 ? 128 + end.signal : end.exitCode;
  // If the batch script never began, its exit says nothing about the trainer: the machine may lack the job's folder.
  if (hasLeft(end) && !isClaimed) {
    if (bareForMs < showsAfterMs)
      return { state: "unknown", why: "the job has ended, but its folder does not show a start yet" };
    const evidence =
      "the batch script ended before the job began: perhaps the machine does not mount the shared folder";
    return { state: "lost", evidence, cause: "node_failed", ...(host !== undefined && { host }) };
  }
  if (hasLeft(end) && code === notOursCode)
    return { state: "unknown", why: "another job of this attempt has its folder" };
  if (end.how === "completed" || (end.how === "failed" && code !== 0))
    return { state: "exited", exitCode: code, ...more };
  if (end.how === "vanished") {
    return {
      state: "lost",
      evidence: "the job vanished from the queue, and the accounting does not state how it ended",
      ...more,
    };
  }
  const by = end.by === undefined ? "" : ` by ${end.by}`;
  return { state: "lost", evidence: `Slurm says ${end.how.replaceAll("_", " ")}${by}`, ...more };
}
