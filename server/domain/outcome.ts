import { exitCodes, type RunEvent } from "#trainer/spec/event.ts";
import { isEnded, type EndCause, type JobState } from "./job.ts";
import type { FailureReason } from "./retry.ts";

export type DoneEvent = Extract<RunEvent, { type: "done" }>;
export type Done = Pick<DoneEvent, "exit" | "reason">;

/** How an attempt ended, as far as job and log tell. */
export type Outcome = { ended: false } | { ended: true; reason: "completed" | FailureReason; text: string };

/**
 * Reads the end of an attempt. Both witnesses must have spoken: the process is gone and its log is read to the end.
 * The log outranks the exit code, since it carries the results: a crash while shutting down after `completed`
 * takes nothing away.
 */
export function readOutcome(state: JobState, log: { done: Done | null; drained: boolean }): Outcome {
  if (!isEnded(state) || !log.drained) return { ended: false };
  if (state.state !== "exited" && state.state !== "lost") return { ended: false };
  const { cause, host } = state;
  const isSettled = log.done?.exit === "completed" || log.done?.exit === "diverged";
  // "Interrupted" says that it was asked to stop; the scheduler knows why.
  if (cause !== undefined && !isSettled) {
    return { ended: true, reason: cause, text: sayCause(cause, { state, host, done: log.done }) };
  }
  if (log.done) return { ended: true, reason: doneReasons[log.done.exit], text: log.done.reason };
  if (state.state === "lost") return { ended: true, reason: "lost", text: state.evidence };
  return { ended: true, reason: readExitCode(state.exitCode), text: describeExitCode(state.exitCode) };
}

type Ended = Extract<JobState, { state: "exited" | "lost" }>;

function sayCause(cause: EndCause, end: { state: Ended; host: string | undefined; done: Done | null }): string {
  const { state, host, done } = end;
  const how = state.state === "lost" ? state.evidence : `the scheduler says ${cause.replaceAll("_", " ")}`;
  const last = done ? `; the trainer's last line: ${done.reason}` : "";
  return `${how}${host === undefined ? "" : ` on ${host}`}${last}`;
}

const doneReasons: Record<Done["exit"], "completed" | FailureReason> = {
  completed: "completed",
  diverged: "diverged",
  interrupted: "interrupted",
  failed: "trainer_failed",
};

/** 128 + signal, as shells report it. */
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
  // Node aborts with SIGABRT when its heap is full.
  if (exitCode === 134) return "out_of_memory";
  if (exitCode === 129 || exitCode === 130 || exitCode === 137 || exitCode === 143) return "killed";
  return "exit_code";
}

function describeExitCode(exitCode: number): string {
  const signal = signals[exitCode];
  return `process ended with exit code ${exitCode}${signal ? ` (${signal})` : ""} and no final line in its log`;
}
