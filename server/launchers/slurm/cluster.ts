import { join } from "node:path";
import type { SlurmNode } from "#server/domain/nodes/node.ts";
import { type Job, parseJobId } from "../launcher.ts";
import type { Resolve } from "../resolveProgram.ts";
import type { Bundle } from "../ssh/ship.ts";
import type { TimedPoll } from "./stateReports.ts";
import type { AskSlurm } from "./tools.ts";

export type SlurmOptions = {
  node: SlurmNode;
  home: string;
  bundle: Bundle;
  /** Which program of another trainer a specification means. */
  resolve?: Resolve;
  ask?: AskSlurm;
  /** How often Slurm is asked about all jobs; its controller serves everybody. */
  pollMs?: number;
  /** How long a launch waits for others, to be submitted with them as one array; 0 submits each by itself, at once. */
  gatherMs?: number;
  /** How long a job may take to stop on request before Slurm kills it. */
  killAfterMs?: number;
  /** How long a look at the jobs waits for submissions that are under way. */
  patienceMs?: number;
  now?: () => number;
};

/** What is known of the cluster beyond one call; all of it may be forgotten. */
type Memory = {
  /** What keeps attempts from being submitted. */
  waiting: Map<string, string>;
  /** Until when sbatch is left alone, after it said "not now". */
  quietUntilMs: number;
  quietMs: number;
  /** When which request was last told "not now": the others go before it. */
  heldAtMs: Map<string, number>;
  /** Since when which job is missing from the queue. */
  absentSince: Map<string, number>;
  /** Since when which job has ended without a trace in its folder. */
  bareSince: Map<string, number>;
  /** Jobs to be submitted, and what will do it. */
  gathered: Map<string, Job>;
  timer: NodeJS.Timeout | undefined;
  /** How many jobs the next array may have: half after "not now", twice after everything that was taken. */
  room: number;
  /** How many any array may have: half after the cluster wanted none, or none so large; 1 where arrays are off. */
  ceiling: number;
  /** Submissions, one after the other. */
  queue: Promise<void>;
  /** Looks under way that others may share. */
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

/** Below the 1,000 tasks that Slurm allows an array unless told otherwise. */
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
  const folderOf = (jobId: string): string => {
    const { runId, attempt } = parseJobId(jobId);
    return join(options.node.folder, "runs", runId, String(attempt));
  };
  return { ...options, memory, folderOf };
}
