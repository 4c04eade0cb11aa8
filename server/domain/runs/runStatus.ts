/** Statuses of a run. `unknown`: the studio cannot observe the run, which does not mean that the run ended. */
export const runStatuses = ["pending", "starting", "running", "unknown", "finished", "failed", "cancelled"] as const;
export type RunStatus = (typeof runStatuses)[number];

export const runReasons = [
  "completed",
  "diverged",
  "out_of_memory",
  "gpu_out_of_memory",
  "gpu_failed",
  "cuda_error",
  "communication_failed",
  "package_missing",
  "model_unavailable",
  "no_progress",
  "killed",
  "exit_code",
  "trainer_failed",
  "no_done_event",
  "lost",
  "interrupted",
  "timed_out",
  "preempted",
  "node_failed",
  "disk_full",
  "expired",
  "cancelled_outside",
  "submit_refused",
  "spec_refused",
  "attempts_used_up",
  "cancelled_by_user",
  "stopped_by_rule",
  "elsewhere",
  "unobservable",
] as const;
export type RunReason = (typeof runReasons)[number];

type Words = { title: string; sentence: string };

export const statusWords: Record<RunStatus, Words> = {
  pending: { title: "Pending", sentence: "The run waits for a free slot on a node." },
  starting: { title: "Starting", sentence: "A job was submitted, but the studio has not seen it run yet." },
  running: { title: "Running", sentence: "The trainer's process is alive." },
  unknown: {
    title: "Unknown",
    sentence: "The studio cannot observe the job at the moment, so the state of the run is unknown.",
  },
  finished: { title: "Finished", sentence: "The trainer completed its budget, and all metrics of the run are stored." },
  failed: { title: "Failed", sentence: "The run ended without completing its budget." },
  cancelled: { title: "Cancelled", sentence: "The run was stopped on request. Its measurements are kept." },
};

export const reasonWords: Record<RunReason, Words> = {
  completed: { title: "Completed", sentence: "Every iteration of the budget was trained." },
  diverged: {
    title: "Diverged",
    sentence: "The trainer stopped because a loss, gradient or other number was no longer finite.",
  },
  out_of_memory: { title: "Out of memory", sentence: "The process ran out of memory." },
  gpu_out_of_memory: {
    title: "GPU out of memory",
    sentence:
      "The GPU's memory did not suffice. Use a smaller micro-batch, shorter responses or gradient checkpointing, or leave the sampler less memory (`gpu_memory_utilization`).",
  },
  gpu_failed: {
    title: "GPU failed",
    sentence: "A GPU or its driver did not answer. The administrator should check the machine with `nvidia-smi`.",
  },
  cuda_error: {
    title: "CUDA error",
    sentence:
      "A program on the GPU failed an assertion or left its memory, often because a token id lies outside the vocabulary. `CUDA_LAUNCH_BLOCKING=1` names the operation.",
  },
  communication_failed: {
    title: "Connection lost",
    sentence: "Processes of the run lost contact with each other (NCCL, Gloo, Ray), or a port was taken.",
  },
  package_missing: {
    title: "Package missing",
    sentence:
      "The program needs a package or command that its environment on the node does not have. Install it there.",
  },
  model_unavailable: {
    title: "Model not found",
    sentence:
      "The pretrained model could not be loaded. Check its name, access to gated models (`HF_TOKEN`), and the node's network or cache.",
  },
  no_progress: {
    title: "No progress",
    sentence: "The run has not logged a line for longer than ten of its own iterations take. It may hang.",
  },
  killed: {
    title: "Killed",
    sentence: "The trainer's process was killed from outside, often by the operating system when memory ran out.",
  },
  exit_code: {
    title: "Crashed",
    sentence: "The process exited with a non-zero code, without writing a `done` event to its event log.",
  },
  trainer_failed: { title: "Trainer error", sentence: "The trainer reported an error and stopped." },
  no_done_event: {
    title: "Log incomplete",
    sentence: "The process exited with code 0, but without writing a `done` event to its event log.",
  },
  lost: {
    title: "Lost",
    sentence: "The process is gone and left no exit code, for example after a reboot of its machine.",
  },
  interrupted: {
    title: "Interrupted",
    sentence: "The process was asked to stop. The run resumes from its last checkpoint.",
  },
  timed_out: {
    title: "Timed out",
    sentence: "The scheduler's time limit ended the job. The run resumes from its last checkpoint.",
  },
  preempted: {
    title: "Preempted",
    sentence: "The scheduler gave the machine to another job. The run resumes later from its last checkpoint.",
  },
  node_failed: { title: "Machine failed", sentence: "The machine that the job ran on failed." },
  disk_full: {
    title: "Disk full",
    sentence: "The node's disk is full. The run resumes from its last checkpoint once disk space is free.",
  },
  expired: { title: "Deadline passed", sentence: "The scheduler dropped the job at its deadline." },
  cancelled_outside: {
    title: "Cancelled outside",
    sentence: "Somebody cancelled the job in the scheduler, not in the studio.",
  },
  submit_refused: { title: "Job refused", sentence: "The scheduler refused the job's configuration." },
  spec_refused: { title: "Specification refused", sentence: "The trainer cannot run this specification." },
  attempts_used_up: {
    title: "Attempts used up",
    sentence: "All allowed attempts ended without completing the run.",
  },
  cancelled_by_user: { title: "Cancelled by user", sentence: "Somebody cancelled the run or its sweep." },
  stopped_by_rule: {
    title: "Stopped by rule",
    sentence:
      "The sweep's early-stopping rule ended the run after an alarm (unstable or collapsed). The measurements of the run count in results.",
  },
  elsewhere: {
    title: "External run",
    sentence: "Another trainer trained this run, so the planned number of iterations is unknown.",
  },
  unobservable: { title: "Not observable", sentence: "The machine or scheduler that runs the job did not answer." },
};

/** A run that waits for disk space is shown as paused, not as pending. */
export function titleOf(status: RunStatus, reason: RunReason | null): string {
  return status === "pending" && reason === "disk_full" ? "Paused" : statusWords[status].title;
}

export function describeFullDisks(nodes: readonly string[]): string {
  return `disk full on ${nodes.join(", ")}`;
}

/** Terminal statuses, which only a retry by a user changes. */
export const overStatuses = ["finished", "failed", "cancelled"] as const satisfies readonly RunStatus[];

/**
 * @param status as in the code or in the database
 */
export function isOver(status: string): boolean {
  return overStatuses.some((over) => over === status);
}

/** Parses a stored status; an unknown text becomes `unknown`. */
export function parseRunStatus(text: string): RunStatus {
  return runStatuses.find((status) => status === text) ?? "unknown";
}

export function parseRunReason(text: string | null): RunReason | null {
  return runReasons.find((reason) => reason === text) ?? null;
}
