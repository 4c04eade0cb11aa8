/** State of a Slurm job. Only `ended` means that it is over; an unknown name gives `unknown`, never a failure. */
export type SlurmState =
  | { is: "queued"; reason: string; isHopeless: boolean }
  | { is: "starting" }
  | { is: "running" }
  | { is: "suspended" }
  | { is: "finishing" }
  | { is: "ended"; how: Ending; exitCode: number; signal: number; by?: string }
  | { is: "unknown"; why: string };

type Ending =
  | "completed"
  | "vanished"
  | "failed"
  | "timed_out"
  | "preempted"
  | "node_failed"
  | "out_of_memory"
  | "cancelled"
  | "expired";

const endings: Readonly<Record<string, Ending>> = {
  COMPLETED: "completed",
  FAILED: "failed",
  TIMEOUT: "timed_out",
  PREEMPTED: "preempted",
  NODE_FAIL: "node_failed",
  BOOT_FAIL: "node_failed",
  LAUNCH_FAILED: "node_failed",
  OUT_OF_MEMORY: "out_of_memory",
  CANCELLED: "cancelled",
  DEADLINE: "expired",
};

/** Job state for each name that Slurm prints as a flag before the base state or instead of it. */
const others: Readonly<Record<string, SlurmState>> = {
  CONFIGURING: { is: "starting" },
  STAGE_IN: { is: "starting" },
  POWER_UP_NODE: { is: "starting" },
  RUNNING: { is: "running" },
  SIGNALING: { is: "running" },
  RESIZING: { is: "running" },
  UPDATE_DB: { is: "running" },
  SUSPENDED: { is: "suspended" },
  STOPPED: { is: "suspended" },
  COMPLETING: { is: "finishing" },
  STAGE_OUT: { is: "finishing" },
  EXPEDITING: { is: "queued", reason: "being requeued", isHopeless: false },
  REQUEUED: { is: "queued", reason: "requeued", isHopeless: false },
  REQUEUE_FED: { is: "queued", reason: "requeued", isHopeless: false },
  REVOKED: { is: "queued", reason: "taken by another cluster", isHopeless: false },
  REQUEUE_HOLD: { is: "queued", reason: "requeued and held", isHopeless: true },
  SPECIAL_EXIT: { is: "queued", reason: "requeued and held (special exit)", isHopeless: true },
  RESV_DEL_HOLD: { is: "queued", reason: "held: its reservation was deleted", isHopeless: true },
};

/** Matches Slurm's reasons for a waiting job that time alone does not resolve: an administrator must act. */
const hopeless =
  /^(DependencyNeverSatisfied|JobHeldAdmin|JobHeldUser|PartitionTimeLimit|PartitionNodeLimit|PartitionDown|PartitionInactive|BadConstraints|InvalidAccount|InvalidQOS|AssociationTimeLimit|QOSTimeLimit|AccountNotAllowed|QOSNotAllowed|ReservationDeleted|InactiveLimit|NonZeroExitCode|.*MaxWallDurationPerJobLimit|.*MaxCpuPerJob.*|.*MaxMemoryPerJob.*|.*MaxGRESPerJob.*|.*MaxNodePerJob.*)$/;

type Report = { state: string; reason?: string; exitCode?: string };

/** Converts a job state of squeue or sacct with its suffixes and flags. `exitCode` has the form `code:signal`. */
export function readState({ state, reason = "", exitCode = "0:0" }: Report): SlurmState {
  // Examples of Slurm's state texts: "CANCELLED by 1001", "CANCELLED+", "COMPLETING|FAILED", "FAILED,REQUEUED".
  const [, by] = /\bby (\S+)/.exec(state) ?? [];
  const words = state
    .replace(/ by .*/, "")
    .split(/[|,]/)
    .map((word) => word.trim().toUpperCase().replace(/\+$/, ""));
  // A flag such as COMPLETING describes the current state. The base state beside it is a past or future state.
  const flag = words.find((word) => word in others && word !== "RUNNING");
  if (flag !== undefined) return others[flag] ?? unknown(state);
  const [word = ""] = words;
  if (word === "PENDING") {
    const plain = reason.replace(/^\(|\)$/g, "");
    const [name = ""] = plain.split(/[,:]/);
    return { is: "queued", reason: plain || "no reason given", isHopeless: hopeless.test(name.trim()) };
  }
  if (word in others) return others[word] ?? unknown(state);
  const how = endings[word];
  if (how === undefined) return unknown(state);
  const [code = NaN, signal = NaN] = exitCode.split(":").map(Number);
  const ended = {
    is: "ended" as const,
    exitCode: finite(code),
    signal: finite(signal),
    ...(by !== undefined && { by }),
  };
  // Slurm may report a job killed by the memory limit as a plain failure whose reason names the memory.
  const isKilledForMemory = how === "failed" && /out.?of.?memory|oom/i.test(reason);
  return { ...ended, how: isKilledForMemory ? "out_of_memory" : how };
}

function unknown(state: string): SlurmState {
  return { is: "unknown", why: `Slurm reports the unknown state ${JSON.stringify(state)}` };
}

function finite(x: number): number {
  return Number.isFinite(x) ? x : 0;
}
