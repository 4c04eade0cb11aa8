import { spawn } from "node:child_process";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { SlurmNode } from "#server/domain/fleet/nodes/node.ts";
import { splitSecrets } from "#server/domain/fleet/secrets.ts";
import { folderIn, type Job } from "../launcher.ts";
import { makeLimit } from "../pace.ts";
import { passedVariables } from "../wrapper.ts";
import type { ProgramSite } from "../resolveProgram.ts";
import type { Bundle } from "../ssh/ship.ts";
import { submitEnvironment } from "./sbatchText.ts";
import { type Poll, readSacct, readSqueue, sacctArguments, squeueArguments, type TimedPoll } from "./stateReports.ts";
import type { ToolResult } from "./submission.ts";

export type SlurmOptions = Pick<ProgramSite, "resolve" | "readSecrets"> & {
  node: SlurmNode;
  home: string;
  bundle: Bundle;
  ask?: AskSlurm;
  /** Interval at which all jobs are polled. It is long because Slurm's controller serves all users. */
  pollMs?: number;
  /** Time in ms in which launches are collected into one job array; 0 submits each launch immediately. */
  gatherMs?: number;
  /** Time in ms a job may take to stop on request, after which Slurm kills it. */
  killAfterMs?: number;
  /** Maximum time in ms for which a poll waits for submissions in progress. */
  patienceMs?: number;
  now?: () => number;
};

/** State of the cluster between calls, which a restart may lose. */
type Memory = {
  /** Reasons why attempts are not yet submitted, by job id. */
  waiting: Map<string, string>;
  /** Time until which sbatch is not called, because Slurm answered "not now". */
  quietUntilMs: number;
  quietMs: number;
  /** Time of the last "not now" response, by requested resources. Jobs with other requests are submitted first. */
  heldAtMs: Map<string, number>;
  /** Time since which a job is missing from the queue, by job id. */
  absentSince: Map<string, number>;
  /** Time since which a job has ended without any file in its folder, by job id. */
  bareSince: Map<string, number>;
  /** Jobs that wait for submission, and the timer that submits them. */
  gathered: Map<string, Job>;
  timer: NodeJS.Timeout | undefined;
  /** Maximum size of the next job array: halved after "not now", doubled when a full array is accepted. */
  room: number;
  /** Maximum size of any job array: halved if the cluster rejects arrays of this size; 1 if it accepts no arrays. */
  ceiling: number;
  /** Promise of the last submission, after which the next submission starts. */
  queue: Promise<void>;
  /** Poll of the queue in progress, and of the accounting (`pastPoll`), which concurrent callers share. */
  queuePoll: Promise<TimedPoll> | undefined;
  pastPoll: { sinceMs: number; poll: Promise<TimedPoll> } | undefined;
};

export type Cluster = SlurmOptions & {
  ask: AskSlurm;
  now: () => number;
  gatherMs: number;
  memory: Memory;
  folderOf: (jobId: string) => string;
};

/** Maximum number of tasks per job array, below Slurm's default limit of 1,000. */
export const largestArray = 200;

export function makeCluster(options: SlurmOptions & Pick<Cluster, "ask" | "now" | "gatherMs">): Cluster {
  const memory: Memory = {
    waiting: new Map(),
    quietUntilMs: 0,
    quietMs: 0,
    heldAtMs: new Map(),
    absentSince: new Map(),
    bareSince: new Map(),
    gathered: new Map(),
    timer: undefined,
    room: largestArray,
    ceiling: options.gatherMs === 0 ? 1 : largestArray,
    queue: Promise.resolve(),
    queuePoll: undefined,
    pastPoll: undefined,
  };
  const folderOf = (jobId: string): string => folderIn(join(options.node.folder, "runs"), jobId);
  return { ...options, memory, folderOf };
}

export async function pollQueue({ ask, now }: Cluster): Promise<TimedPoll> {
  const { username } = userInfo();
  const beganAtMs = now();
  return { squeue: readSqueue(await ask("squeue", squeueArguments(username))), sacct: undefined, beganAtMs };
}

export async function pollPast<Seen extends Poll>({ ask }: Cluster, poll: Seen, sinceMs: number): Promise<Seen> {
  const { username } = userInfo();
  return { ...poll, sacct: readSacct(await ask("sacct", sacctArguments(username, sinceMs))) };
}

/** Queries Slurm's queue; concurrent callers share one query and its result. */
export function sharedQueuePoll(cluster: Cluster): Promise<TimedPoll> {
  const { memory } = cluster;
  memory.queuePoll ??= pollQueue(cluster).finally(() => (memory.queuePoll = undefined));
  return memory.queuePoll;
}

/** Queries Slurm's queue, and its accounting since a time; concurrent callers share one query. */
export function sharedPastPoll(cluster: Cluster, sinceMs: number): Promise<TimedPoll> {
  const { memory } = cluster;
  if (memory.pastPoll !== undefined && memory.pastPoll.sinceMs <= sinceMs) return memory.pastPoll.poll;
  const poll = sharedQueuePoll(cluster).then((queue) => pollPast(cluster, queue, sinceMs));
  const shared = { sinceMs, poll };
  memory.pastPoll = shared;
  const forget = () => {
    if (memory.pastPoll === shared) memory.pastPoll = undefined;
  };
  poll.then(forget, forget);
  return poll;
}

export type Tool = "sbatch" | "squeue" | "sacct" | "scancel";
/** Runs a Slurm program. If the program is missing, the exit code is 127. */
type AskSlurm = (tool: Tool, argv: readonly string[]) => Promise<ToolResult>;

const maxOutputBytes = 64 << 20;

/** Makes a function that runs Slurm's programs. `timedOut`: over `timeoutMs` or 64 MiB of output. */
export function makeAskSlurm(from: Readonly<Record<string, string | undefined>>, timeoutMs = 30_000): AskSlurm {
  // Slurm stores the environment of sbatch. Secrets are therefore removed from it and written to a file of the attempt.
  const passed = { ...splitSecrets(passedVariables(from)).plain, SLURM_CONF: from["SLURM_CONF"] };
  const env: NodeJS.ProcessEnv = { ...submitEnvironment(passed), LC_ALL: "C", NODE_ENV: "production" };
  const whenFree = makeLimit(8);
  const call: AskSlurm = (tool, argv) =>
    new Promise((resolve) => {
      const limits = { timeout: timeoutMs, killSignal: "SIGKILL" as const };
      const child = spawn(tool, argv, { env, stdio: ["ignore", "pipe", "pipe"], ...limits });
      const texts = { stdout: "", stderr: "" };
      let numBytes = 0;
      for (const name of ["stdout", "stderr"] as const) {
        child[name].setEncoding("utf8").on("data", (text: string) => {
          numBytes += Buffer.byteLength(text);
          if (numBytes <= maxOutputBytes) texts[name] += text;
        });
      }
      child.once("error", (error) =>
        resolve({ exitCode: 127, stdout: "", stderr: `${tool}: error: ${error.message}` }),
      );
      child.once("close", (exitCode, signal) => {
        if (signal !== null || numBytes > maxOutputBytes) return resolve({ timedOut: true });
        return resolve({ exitCode: exitCode ?? 1, ...texts });
      });
    });
  // Stopping a sweep cancels hundreds of jobs, but Slurm's controller serves all users.
  return (tool, argv) => (tool === "scancel" ? whenFree(() => call(tool, argv)) : call(tool, argv));
}
