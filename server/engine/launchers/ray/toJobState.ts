import type { EndCause, JobState } from "#server/domain/fleet/job.ts";
import type { JobDetails } from "./api.ts";
import { notOursCode } from "./protocol.ts";

/** Evidence of a job's end from sources other than Ray. */
export type Traces = {
  /** Exit code in its log. */
  exitCode: number | undefined;
  /** True if we asked it to stop. */
  isCancelled: boolean;
};

/** Job state from Ray's answer and the job's log, which is read to its end once Ray reports the job as ended. */
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
  // No final line: killed. Python reports a signal's number as negative.
  if (typeof driverCode === "number" && driverCode !== 0) {
    return { state: "exited", exitCode: driverCode < 0 ? 128 - driverCode : driverCode, ...end };
  }
  return { state: "lost", evidence: `Ray says ${status}: ${shorten(details.message ?? "")}`, ...end };
}

/** Machine of a job's command; undefined before it has one. Its agent may have no port, which Ray writes as -1. */
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
      // The request itself failed; the other message of this kind means that a restarted head found no actor.
      return message?.startsWith("Failed to start supervisor actor") === true ? "submit_refused" : "node_failed";
    case "JOB_SUPERVISOR_ACTOR_DIED":
    case "JOB_SUPERVISOR_ACTOR_UNKNOWN_FAILURE":
      // If Ray's memory monitor killed the supervisor, its message says so.
      return /running low on memory|OOM kill/.test(message ?? "") ? "out_of_memory" : "node_failed";
    case "RUNTIME_ENV_SETUP_FAILURE":
    case "JOB_SUPERVISOR_ACTOR_START_TIMEOUT":
      return "node_failed";
    default:
      return undefined;
  }
}

/** The first line of a message is the summary; a traceback or log tail follows. */
function shorten(message: string): string {
  return (message.trim().split("\n")[0] ?? "").slice(0, 500);
}
