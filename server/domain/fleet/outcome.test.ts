import { describe, expect, it } from "vitest";
import type { JobState } from "./job.ts";
import { type DiskThen, readOutcome, type Done } from "./outcome.ts";

const exited = (exitCode: number) => ({ state: "exited" as const, exitCode });
const lost = { state: "lost" as const, evidence: "pid 7 is gone and no exit file was written" };
const done = (exit: Done["exit"]): Done => ({ exit, reason: `says ${exit}` });
const failed = (reason: string): Done => ({ exit: "failed", reason });
const reasonOf = (state: JobState, log: Done | null) => {
  const outcome = readOutcome(state, { done: log, drained: true });
  return outcome.ended ? outcome.reason : "going on";
};

describe("readOutcome", () => {
  it.each<[string, JobState, Done | null, string]>([
    ["completed and exit code 0", exited(0), done("completed"), "completed"],
    ["completed, then a crash while shutting down", exited(139), done("completed"), "completed"],
    ["completed, then no trace of the process", lost, done("completed"), "completed"],
    ["exit code 0 without a final line", exited(0), null, "no_done_event"],
    ["diverged", exited(3), done("diverged"), "diverged"],
    ["diverged by exit code alone", exited(3), null, "diverged"],
    ["interrupted", exited(75), done("interrupted"), "interrupted"],
    ["interrupted by exit code alone", exited(75), null, "interrupted"],
    ["an error the trainer reports", exited(1), done("failed"), "trainer_failed"],
    ["an error without a word", exited(1), null, "exit_code"],
    ["a specification refused", exited(2), null, "spec_refused"],
    ["SIGKILL", exited(137), null, "killed"],
    ["SIGTERM that the trainer did not survive", exited(143), null, "killed"],
    ["SIGABRT", exited(134), null, "out_of_memory"],
    ["SIGSEGV", exited(139), null, "exit_code"],
    ["a process that is gone", lost, null, "lost"],
    [
      "a time limit that the trainer was warned of",
      { ...exited(75), cause: "timed_out" },
      done("interrupted"),
      "timed_out",
    ],
    ["a time limit, after the run was complete", { ...exited(0), cause: "timed_out" }, done("completed"), "completed"],
    ["a divergence while being preempted", { ...exited(3), cause: "preempted" }, done("diverged"), "diverged"],
    ["memory, whatever the exit code", { ...exited(137), cause: "out_of_memory" }, null, "out_of_memory"],
    ["a machine that failed", { ...lost, cause: "node_failed", host: "n7" }, null, "node_failed"],
    ["a job waiting in the scheduler", { state: "queued", why: "Priority", isStuck: false }, null, "going on"],
    ["a job in the queue", { state: "submitted" }, null, "going on"],
    ["a job that runs", { state: "running", pid: 7 }, done("completed"), "going on"],
    ["a job nobody can see", { state: "unknown", why: "time-out" }, done("completed"), "going on"],
  ])("reads %s", (_, state, log, reason) => {
    expect(reasonOf(state, log)).toBe(reason);
  });

  it.each<[string, JobState, Done | null, string]>([
    ["the trainer's last line says it", exited(74), done("disk_full"), "disk_full"],
    ["there was no room for a last line, and the exit code says it", exited(74), null, "disk_full"],
    [
      "the scheduler lost the machine, and the last line says it",
      { ...lost, cause: "node_failed" },
      done("disk_full"),
      "disk_full",
    ],
    ["an error has another cause", exited(1), done("failed"), "trainer_failed"],
    ["everything was trained before", exited(74), done("completed"), "completed"],
  ])("finds a full disk, or not, where %s", (_, state, log, reason) => {
    expect(reasonOf(state, log)).toBe(reason);
  });

  it.each<[string, JobState, Done | null, string, string]>([
    ["no exit code", lost, null, "disk_full", "disk_full"],
    ["an error without a word", exited(1), null, "disk_full", "disk_full"],
    ["a request to stop", exited(75), done("interrupted"), "disk_full", "disk_full"],
    ["a kill after that request", exited(137), null, "disk_full", "disk_full"],
    ["a preemption", { ...exited(75), cause: "preempted" }, done("interrupted"), "preempted", "disk_full"],
    ["an error that is told", exited(1), done("failed"), "trainer_failed", "trainer_failed"],
    ["a divergence that is told", exited(3), done("diverged"), "diverged", "diverged"],
    ["a specification refused", exited(2), null, "spec_refused", "spec_refused"],
  ])("on a full disk reads %s", (_, state, log, whileFull, whenAsked) => {
    const read = (disk: DiskThen) => readOutcome(state, { done: log, drained: true }, disk);
    expect(read({ isFull: true, hasAskedToLeave: false })).toMatchObject({ reason: whileFull });
    expect(read({ isFull: false, hasAskedToLeave: true })).toMatchObject({ reason: whenAsked });
  });

  it.each<[string, JobState, Done | null, string | undefined, string]>([
    ["the trainer's last line", exited(1), failed("CUDA out of memory"), undefined, "gpu_out_of_memory"],
    ["the error output, without a last line", exited(1), null, "MemoryError", "out_of_memory"],
    ["a signal, whatever the output", exited(137), null, "MemoryError", "killed"],
    ["an output that names no kind", exited(1), null, "KeyError: 'x'", "exit_code"],
    ["an error after completion", exited(1), done("completed"), "MemoryError", "completed"],
  ])("reads the kind of a crash from %s", (_, state, log, lastWords, reason) => {
    expect(readOutcome(state, { done: log, drained: true, lastWords })).toMatchObject({ reason });
  });

  it("quotes the line that says best why the process ended", () => {
    const outcome = readOutcome(exited(1), { done: null, drained: true, lastWords: "Traceback\nKeyError: 'x'\n 0%" });
    expect(outcome).toMatchObject({
      text: "process exited with code 1 without writing a `done` event to its log: KeyError: 'x'",
    });
  });

  it("waits until the log is read to its end", () => {
    expect(readOutcome(exited(0), { done: done("completed"), drained: false })).toEqual({ ended: false });
    expect(readOutcome(lost, { done: null, drained: false })).toEqual({ ended: false });
  });

  it("names the signal", () => {
    expect(readOutcome(exited(137), { done: null, drained: true })).toMatchObject({
      text: "process exited with code 137 (SIGKILL) without writing a `done` event to its log",
    });
  });
});
