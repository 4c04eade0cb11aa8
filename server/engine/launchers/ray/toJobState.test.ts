import { describe, expect, it } from "vitest";
import type { JobDetails } from "./api.ts";
import { toJobState } from "./observe.ts";

/** Response of Ray 2.60 about a running job. */
const running: JobDetails = {
  status: "RUNNING",
  message: "Job is currently running.",
  error_type: null,
  metadata: null,
  driver_agent_http_address: "http://192.0.2.2:52365",
  driver_node_id: "14b81ed76b2e0b2535fcd28d90776ab0cd0ad2c3ba476d0046c31d89",
  driver_exit_code: null,
};
const died = { status: "FAILED", error_type: "JOB_SUPERVISOR_ACTOR_DIED" } as const;
const lowOnMemory = {
  status: "FAILED",
  error_type: "JOB_SUPERVISOR_ACTOR_UNKNOWN_FAILURE",
  message:
    "Unexpected error occurred: 1 worker(s) were killed due to the node running low on memory. Memory on the node (IP: 192.0.2.2) was 8.00GB used / 23.54GB limit (0.339975)\nOOM kill reason: Memory usage 8545202176B exceeded threshold",
} as const;
const unstarted = { status: "FAILED", error_type: "JOB_SUPERVISOR_ACTOR_START_FAILURE" } as const;

describe("a job's state from what Ray says and its log", () => {
  it.each([
    [
      "pending",
      { status: "PENDING", message: "Job has not started yet." },
      undefined,
      { state: "queued", isStuck: false },
    ],
    ["running", {}, undefined, { state: "running", host: "192.0.2.2" }],
    [
      "running where an agent has no port",
      { driver_agent_http_address: "http://192.0.2.2:-1" },
      undefined,
      { state: "running", host: "192.0.2.2" },
    ],
    ["running though its trainer has left", {}, 0, { state: "running" }],
    ["done", { status: "SUCCEEDED", driver_exit_code: 0 }, 0, { state: "exited", exitCode: 0 }],
    ["diverged", { status: "FAILED", driver_exit_code: 3 }, 3, { state: "exited", exitCode: 3 }],
    [
      "killed with its courier",
      { status: "FAILED", driver_exit_code: -9 },
      undefined,
      { state: "exited", exitCode: 137 },
    ],
    ["stopped by somebody", { status: "STOPPED" }, 75, { state: "exited", exitCode: 75, cause: "cancelled_outside" }],
    [
      "gone with its machine",
      { ...died, message: "The node was terminated" },
      undefined,
      { state: "lost", cause: "node_failed" },
    ],
    ["short of memory", lowOnMemory, undefined, { state: "lost", cause: "out_of_memory" }],
    [
      "refused",
      { ...unstarted, message: "Failed to start supervisor actor a.1: 'CPU'" },
      undefined,
      { cause: "submit_refused" },
    ],
    [
      "forgotten by a new head",
      { ...unstarted, message: "Unexpected error occurred: failed to get job supervisor." },
      undefined,
      { cause: "node_failed" },
    ],
    [
      "said to be done, without a last line",
      { status: "SUCCEEDED", driver_exit_code: 0 },
      undefined,
      { state: "lost" },
    ],
  ] as const)("%s", (_, change, exitCode, state) => {
    expect(toJobState({ ...running, ...change }, { exitCode, isCancelled: false })).toMatchObject(state);
  });

  it("is our own doing where we asked it to stop", () => {
    const stopped = { ...running, status: "STOPPED" } as const;
    expect(toJobState(stopped, { exitCode: 75, isCancelled: true })).toEqual({
      state: "exited",
      exitCode: 75,
      host: "192.0.2.2",
    });
    expect(toJobState(stopped, { exitCode: undefined, isCancelled: true })).toMatchObject({ exitCode: 143 });
  });
});
