import type { ToolResult } from "./submission.ts";
import { readState, type SlurmState } from "./slurmState.ts";

/** One job as reported by squeue or sacct. Ids of array tasks look like `123_4`. */
type StateReport = { slurmId: string; name: string; state: SlurmState; node: string; submittedAt: string };

/** Returns arguments for squeue: all jobs of a user, one line per array task, including jobs that ended minutes ago. */
export function squeueArguments(user: string): string[] {
  return ["-r", "-h", "-t", "all", "-u", user, "-o", "%i|%j|%T|%r|%B|%V"];
}

/** Returns arguments for sacct: a user's records since a time (without -S only today's), also of requeued jobs. */
export function sacctArguments(user: string, sinceMs: number): string[] {
  const since = toLocalTime(sinceMs - 3600_000);
  const columns = "JobID,JobName,State,ExitCode,Submit,NodeList,Reason";
  return ["-X", "-P", "-n", "-D", "-u", user, "-S", since, "-o", columns];
}

// Formats a time in this machine's time zone, which is assumed to be that of the cluster; sacct reads local times.
function toLocalTime(atMs: number): string {
  const at = new Date(atMs);
  const two = (x: number): string => String(x).padStart(2, "0");
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  return `${date}T${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":")}`;
}

/** Parses the output of squeue. Undefined if squeue failed, so that no job counts as missing. */
export function readSqueue(result: ToolResult): Seen | undefined {
  const lines = linesOf(result);
  const reports = lines?.flatMap((line): StateReport[] => {
    const [slurmId, name, state, reason = "", node = "", submittedAt = ""] = line.split("|");
    if (slurmId === undefined || name === undefined || state === undefined) return [];
    return [{ slurmId, name, state: readState({ state, reason }), node, submittedAt }];
  });
  return reports && indexed(reports);
}

export function readSacct(result: ToolResult): Seen | undefined {
  const lines = linesOf(result);
  const reports = lines?.flatMap((line): StateReport[] => {
    const [slurmId, name, state, exitCode = "", submittedAt = "", node = "", reason = ""] = line.split("|");
    // Skips records of job steps, whose ids look like `12.batch`.
    if (slurmId === undefined || name === undefined || state === undefined || slurmId.includes(".")) return [];
    return [{ slurmId, name, state: readState({ state, exitCode, reason }), node, submittedAt }];
  });
  return reports && indexed(reports);
}

function linesOf(result: ToolResult): string[] | undefined {
  if ("timedOut" in result) return undefined;
  const lines = result.stdout.split("\n").filter((line) => line.trim() !== "");
  // This message of squeue means that it no longer lists an id, which is a valid response rather than a failure.
  const isAnswer = result.exitCode === 0 || /Invalid job id specified/i.test(result.stderr);
  return isAnswer ? lines : undefined;
}

/** Parsed output of squeue or sacct, indexed so that thousands of jobs are found quickly. */
type Seen = {
  /** Latest record of each job or array task by id: the one submitted last, if it was requeued. */
  byId: ReadonlyMap<string, StateReport>;
  /** Reports that each cover a range of array tasks, by the array's id. */
  ranges: ReadonlyMap<string, readonly Range[]>;
  idByName: ReadonlyMap<string, string>;
};
type Range = { report: StateReport; spans: readonly (readonly [from: number, to: number])[] };

export type Poll = { squeue: Seen | undefined; sacct: Seen | undefined };

/** Output of squeue and sacct with the time at which the poll began. Jobs submitted after that time may be missing. */
export type TimedPoll = Poll & { beganAtMs: number };

/** Indexes reports by id and name. `123_[5-1024%8]` means all tasks in the range; `123;cluster` becomes `123`. */
function indexed(reports: readonly StateReport[]): Seen {
  const byId = new Map<string, StateReport>();
  const ranges = new Map<string, Range[]>();
  const idByName = new Map<string, string>();
  for (const report of reports) {
    const [bare = ""] = report.slurmId.split(";");
    if (!idByName.has(report.name)) idByName.set(report.name, bare);
    const [, base, list] = /^(\d+)_\[([^\]%]+)(?:%\d+)?\]$/.exec(bare) ?? [];
    if (base === undefined || list === undefined) {
      byId.set(bare, newer(byId.get(bare), report));
      continue;
    }
    const spans = list.split(",").map((span) => {
      const [from = NaN, to = from] = span.split("-").map(Number);
      return [from, to] as const;
    });
    ranges.set(base, [...(ranges.get(base) ?? []), { report, spans }]);
  }
  return { byId, ranges, idByName };
}

function newer(one: StateReport | undefined, other: StateReport): StateReport {
  return one === undefined || other.submittedAt >= one.submittedAt ? other : one;
}

/** Time in ms for which a job must be missing from Slurm's queue without interruption before it counts as gone. */
export const absenceMs = 5 * 60_000;

export function hostOf(slurmId: string, { squeue, sacct }: Poll): string | undefined {
  return readHost(newest(squeue, slurmId)?.node || newest(sacct, slurmId)?.node);
}

/** Returns the machine's name if the text names exactly one; undefined for none ("n/a") or several ("n[1-2]"). */
export function readHost(text: string | undefined): string | undefined {
  const host = text?.trim() ?? "";
  return /^[A-Za-z0-9._-]+$/.test(host) ? host : undefined;
}

export function findByName(name: string, { squeue, sacct }: Poll): string | undefined {
  return squeue?.idByName.get(name) ?? sacct?.idByName.get(name);
}

/**
 * Derives a job's state from a poll. squeue lists active jobs, sacct ended ones, minutes late. A job in neither is
 * unknown, and once it is missing from squeue for `absenceMs`, it counts as gone without a known cause.
 */
export function stateOf(slurmId: string, { squeue, sacct }: Poll, absentForMs: number): SlurmState {
  const inQueue = newest(squeue, slurmId);
  if (inQueue) return inQueue.state;
  const inAccounts = newest(sacct, slurmId);
  if (inAccounts?.state.is === "ended") return inAccounts.state;
  if (squeue === undefined) return { is: "unknown", why: "squeue did not answer" };
  if (absentForMs < absenceMs) {
    const word = inAccounts
      ? `the accounting still says ${inAccounts.state.is}`
      : "the accounting has no record of it yet";
    return { is: "unknown", why: `it left the queue, and ${word}` };
  }
  // The job has long been missing from Slurm's queue, so it is not alive. How it ended is unknown.
  return { is: "ended", how: "vanished", exitCode: 0, signal: 0 };
}

/** True if squeue responded and did not list this job. */
export function isAbsent(slurmId: string, { squeue }: Poll): boolean {
  return squeue !== undefined && newest(squeue, slurmId) === undefined;
}

function newest(seen: Seen | undefined, slurmId: string): StateReport | undefined {
  const report = seen?.byId.get(slurmId);
  const [base = "", task] = slurmId.split("_");
  if (seen === undefined || task === undefined) return report;
  const isIn = ({ spans }: Range) => spans.some(([from, to]) => Number(task) >= from && Number(task) <= to);
  const around = seen.ranges.get(base)?.filter(isIn) ?? [];
  return around.reduce<StateReport | undefined>(
    (last, { report }) => (last === undefined ? report : newer(report, last)),
    report,
  );
}
