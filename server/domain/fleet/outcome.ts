import { exitCodes, type RunEvent } from "#trainer/spec/event.ts";
import { isEnded, type EndCause, type JobState } from "./job.ts";
import type { FailureReason } from "./retry.ts";

export type DoneEvent = Extract<RunEvent, { type: "done" }>;
export type Done = Pick<DoneEvent, "exit" | "reason">;

/** End of an attempt, as far as its job and its log show. */
export type Outcome = { ended: false } | { ended: true; reason: "completed" | FailureReason; text: string };

/**
 * Determines whether and how an attempt ended, from its job and its log. The process must be gone and the log read to
 * its end. The log takes precedence over the exit code, because it contains the results: a crash during shutdown
 * after `completed` does not matter.
 */
export function readOutcome(
  state: JobState,
  log: { done: Done | null; drained: boolean },
  disk: DiskThen = { isFull: false, hasAskedToLeave: false },
): Outcome {
  if (!isEnded(state) || !log.drained) return { ended: false };
  if (state.state !== "exited" && state.state !== "lost") return { ended: false };
  const { cause, host } = state;
  const isSettled = log.done?.exit === "completed" || log.done?.exit === "diverged";
  const full = readDiskFull(state, log.done, disk);
  if (full !== undefined) return { ended: true, reason: "disk_full", text: full };
  // The log's "interrupted" only means that the trainer was asked to stop; the scheduler knows the reason.
  if (cause !== undefined && !isSettled) {
    return { ended: true, reason: cause, text: describeCause(cause, { state, host, done: log.done }) };
  }
  if (log.done) return { ended: true, reason: doneReasons[log.done.exit], text: log.done.reason };
  if (state.state === "lost") return { ended: true, reason: "lost", text: state.evidence };
  return { ended: true, reason: readExitCode(state.exitCode), text: describeExitCode(state.exitCode) };
}

/** State of the node's disk at the attempt's end. `hasAskedToLeave`: the attempt was asked to exit for disk space. */
export type DiskThen = { isFull: boolean; hasAskedToLeave: boolean };

type Ended = Extract<JobState, { state: "exited" | "lost" }>;

/**
 * Returns the evidence, as text, that an attempt ended because the disk was full; undefined if there is none. A
 * trainer itself reports a full disk. A missing last log line on a full disk also counts as evidence: any other fault
 * will recur and be logged once there is space.
 */
function readDiskFull(state: Ended, done: Done | null, disk: DiskThen): string | undefined {
  if (done?.exit === "disk_full") return done.reason;
  if (done !== null && done.exit !== "interrupted") return undefined;
  if (state.state === "exited" && state.exitCode === exitCodes.disk_full)
    return "the trainer could not write, because the disk was full";
  if (state.state === "exited" && (state.exitCode === exitCodes.usage || state.exitCode === 134)) return undefined;
  if (disk.hasAskedToLeave) return done?.reason ?? "the trainer was asked to exit because the disk was full";
  if (disk.isFull && (state.cause === undefined || state.cause === "node_failed"))
    return done?.reason ?? "the disk was full, and the trainer ended without writing a `done` event to its log";
  return undefined;
}

function describeCause(cause: EndCause, end: { state: Ended; host: string | undefined; done: Done | null }): string {
  const { state, host, done } = end;
  const how = state.state === "lost" ? state.evidence : `the scheduler reports ${cause.replaceAll("_", " ")}`;
  const last = done ? `; the trainer's last line: ${done.reason}` : "";
  return `${how}${host === undefined ? "" : ` on ${host}`}${last}`;
}

const doneReasons: Record<Done["exit"], "completed" | FailureReason> = {
  completed: "completed",
  diverged: "diverged",
  interrupted: "interrupted",
  disk_full: "disk_full",
  failed: "trainer_failed",
};

/** Names of signals by exit code: shells report a signal as 128 + the signal's number. */
const signals: Readonly<Record<number, string>> = {
  129: "SIGHUP",
  130: "SIGINT",
  132: "SIGILL",
  134: "SIGABRT",
  135: "SIGBUS",
  136: "SIGFPE",
  137: "SIGKILL",
  139: "SIGSEGV",
  143: "SIGTERM",
};

function readExitCode(exitCode: number): FailureReason {
  if (exitCode === exitCodes.completed) return "no_done_event";
  if (exitCode === exitCodes.usage) return "spec_refused";
  if (exitCode === exitCodes.diverged) return "diverged";
  if (exitCode === exitCodes.interrupted) return "interrupted";
  // Exit code 134 is SIGABRT, with which Node.js aborts when its heap is full.
  if (exitCode === 134) return "out_of_memory";
  if (exitCode === 129 || exitCode === 130 || exitCode === 137 || exitCode === 143) return "killed";
  return "exit_code";
}

function describeExitCode(exitCode: number): string {
  const signal = signals[exitCode];
  return `process exited with code ${exitCode}${signal ? ` (${signal})` : ""} without writing a \`done\` event to its log`;
}
