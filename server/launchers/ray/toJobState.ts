import type { EndCause, JobState } from "#server/domain/job.ts";
import type { JobDetails } from "./api.ts";
import { notOursCode } from "./protocol.ts";

/** What is known of a job's end from elsewhere than Ray. */
export type Traces = {
  /** As its log tells. */
  exitCode: number | undefined;
  /** Whether we asked it to stop. */
  isCancelled: boolean;
};

/** A job from what Ray says of it and from its log, which is read to its end where Ray says that it has ended. */
export function toJobState(details: JobDetails, { exitCode, isCancelled }: Traces): JobState {
  const { status, driver_exit_code: driverCode } = details;
  const host = hostOf(details);
  const where = host === undefined ? {} : { host };
  if (status === "PENDING") return { state: "queued", why: details.message ?? "pending", isStuck: false };
  if (status === "RUNNING") return { state: "running", ...where };
  const cause = causeOf(details, isCancelled);
  const end = { ...where, ...(cause !== undefined && { cause }) };
  if (exitCode !== undefined) return { state: "exited", exitCode, ...end };
  if (driverCode === notOursCode)
    return { state: "lost", evidence: "another job of this attempt has its folder", ...end };
  if (status === "STOPPED" && isCancelled) return { state: "exited", exitCode: 143, ...where };
  // Left without its last line: killed. Python writes a signal's number below zero.
  if (typeof driverCode === "number" && driverCode !== 0) {
    return { state: "exited", exitCode: driverCode < 0 ? 128 - driverCode : driverCode, ...end };
  }
  return { state: "lost", evidence: `Ray says ${status}: ${shorten(details.message ?? "")}`, ...end };
}

/** The machine that a job's command runs on; undefined while it has none. Its agent may have no port, which Ray writes as -1. */
export function hostOf({ driver_agent_http_address: address }: JobDetails): string | undefined {
  return /^https?:\/\/(\[[^\]]+\]|[^:/]+)/.exec(address ?? "")?.[1];
}

function causeOf(details: JobDetails, isCancelled: boolean): EndCause | undefined {
  const { status, error_type: type, message } = details;
  if (status === "STOPPED") return isCancelled ? undefined : "cancelled_outside";
  if (status === "SUCCEEDED") return undefined;
  switch (type) {
    case null:
    case undefined:
      return undefined;
    case "JOB_SUPERVISOR_ACTOR_UNSCHEDULABLE":
      return "submit_refused";
    case "JOB_SUPERVISOR_ACTOR_START_FAILURE":
      // The request itself; the other message of this kind says that a head which came back finds no actor.
      return message?.startsWith("Failed to start supervisor actor") === true ? "submit_refused" : "node_failed";
    case "JOB_SUPERVISOR_ACTOR_DIED":
    case "JOB_SUPERVISOR_ACTOR_UNKNOWN_FAILURE":
      // Where Ray's memory monitor took the supervisor, its message says so.
      return /running low on memory|OOM kill/.test(message ?? "") ? "out_of_memory" : "node_failed";
    case "RUNTIME_ENV_SETUP_FAILURE":
    case "JOB_SUPERVISOR_ACTOR_START_TIMEOUT":
      return "node_failed";
    default:
      return undefined;
  }
}

/** The first line of a message says what happened; what follows is a traceback or a log's end. */
function shorten(message: string): string {
  return (message.trim().split("\n")[0] ?? "").slice(0, 500);
}
