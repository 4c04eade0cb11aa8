import { exitCodes, type RunEvent } from "#trainer/spec/event.ts";
import { readCrash, readLastWords } from "#packages/trainers";
import { isEnded, type EndCause, type EndedState, type JobState } from "./job.ts";
import type { FailureReason } from "./retry.ts";

export type Done = Pick<Extract<RunEvent, { type: "done" }>, "exit" | "reason">;

/** End of an attempt, as far as its job and its log show. */
export type Outcome = { ended: false } | { ended: true; reason: "completed" | FailureReason; text: string };

/**
 * Determines whether and how an attempt ended, from its job and its log. The process must be gone and the log read to
 * its end. The log takes precedence over the exit code, because it contains the results: a crash during shutdown
 * after `completed` does not matter. `lastWords`: end of the program's error output, if its log has no last line.
 */
export function readOutcome(
  state: JobState,
  log: { done: Done | null; drained: boolean; lastWords?: string | undefined },
  disk: DiskThen = { isFull: false, hasAskedToLeave: false },
): Outcome {
  if (!isEnded(state) || !log.drained) return { ended: false };
  const { cause } = state;
  const isSettled = log.done?.exit === "completed" || log.done?.exit === "diverged";
  const full = readDiskFull(state, log.done, disk);
  if (full !== undefined) return { ended: true, reason: "disk_full", text: full };
  // The log's "interrupted" only means that the trainer was asked to stop; the scheduler knows the reason.
  if (cause !== undefined && !isSettled) {
    return { ended: true, reason: cause, text: describeCause(cause, state, log.done) };
  }
  if (log.done?.exit === "failed") return { ended: true, reason: readFailure(log.done.reason), text: log.done.reason };
  if (log.done) return { ended: true, reason: doneReasons[log.done.exit], text: log.done.reason };
  if (state.state === "lost") return { ended: true, reason: "lost", text: state.evidence };
  return { ended: true, ...readExit(state.exitCode, log.lastWords) };
}

/** State of the node's disk at the attempt's end. `hasAskedToLeave`: the attempt was asked to exit for disk space. */
export type DiskThen = { isFull: boolean; hasAskedToLeave: boolean };

/**
 * Returns the evidence, as text, that an attempt ended because the disk was full; undefined if there is none. A
 * trainer itself reports a full disk. A missing last log line on a full disk also counts as evidence: any other fault
 * will recur and be logged once there is space.
 */
function readDiskFull(state: EndedState, done: Done | null, disk: DiskThen): string | undefined {
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

function describeCause(cause: EndCause, state: EndedState, done: Done | null): string {
  const { host } = state;
  const how = state.state === "lost" ? state.evidence : `the scheduler reports ${cause.replaceAll("_", " ")}`;
  const last = done ? `; the trainer's last line: ${done.reason}` : "";
  return `${how}${host === undefined ? "" : ` on ${host}`}${last}`;
}

const doneReasons: Record<Exclude<Done["exit"], "failed">, "completed" | FailureReason> = {
  completed: "completed",
  diverged: "diverged",
  interrupted: "interrupted",
  disk_full: "disk_full",
};

/** Returns the kind of crash that the trainer's last line names. */
function readFailure(text: string): FailureReason {
  return readCrash(text)?.kind ?? "trainer_failed";
}

/** Signals and reasons by exit code: shells report a signal as 128 + the signal's number. */
const signals: Readonly<Record<number, { name: string; reason?: FailureReason }>> = {
  129: { name: "SIGHUP", reason: "killed" },
  130: { name: "SIGINT", reason: "killed" },
  132: { name: "SIGILL" },
  // Node.js aborts when its heap is full.
  134: { name: "SIGABRT", reason: "out_of_memory" },
  135: { name: "SIGBUS" },
  136: { name: "SIGFPE" },
  137: { name: "SIGKILL", reason: "killed" },
  139: { name: "SIGSEGV" },
  143: { name: "SIGTERM", reason: "killed" },
};

function readExitCode(exitCode: number): FailureReason {
  if (exitCode === exitCodes.completed) return "no_done_event";
  if (exitCode === exitCodes.usage) return "spec_refused";
  if (exitCode === exitCodes.diverged) return "diverged";
  if (exitCode === exitCodes.interrupted) return "interrupted";
  return signals[exitCode]?.reason ?? "exit_code";
}

/** A crash that the error output names explains any exit code except those that name their reason themselves. */
function readExit(exitCode: number, lastWords: string | undefined): { reason: FailureReason; text: string } {
  const reason = readExitCode(exitCode);
  const crash = reason === "exit_code" && lastWords !== undefined ? readCrash(lastWords) : undefined;
  const signal = signals[exitCode];
  const how = `process exited with code ${exitCode}${signal ? ` (${signal.name})` : ""} without writing a \`done\` event to its log`;
  const line = lastWords === undefined ? undefined : readLastWords(lastWords);
  return { reason: crash?.kind ?? reason, text: line === undefined ? how : `${how}: ${line}` };
}
