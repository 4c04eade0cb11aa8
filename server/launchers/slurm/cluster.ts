import { join } from "node:path";
import type { SlurmNode } from "#server/domain/nodes/node.ts";
import { type Job, parseJobId } from "../launcher.ts";
import type { Resolve } from "../resolveProgram.ts";
import type { Bundle } from "../ssh/ship.ts";
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
  now?: () => number;
};

/** What is known of the cluster beyond one call; all of it may be forgotten. */
type Memory = {
  /** What keeps attempts from being submitted. */
  waiting: Map<string, string>;
  /** Until when sbatch is left alone, after it said "not now". */
  quietUntilMs: number;
  quietMs: number;
  /** Since when which job is missing from the queue. */
  absentSince: Map<string, number>;
  /** Jobs to be submitted, and what will do it. */
  gathered: Map<string, Job>;
  timer: NodeJS.Timeout | undefined;
  /** How many jobs one array may have: fewer after the cluster had no room for so many. */
  maxArray: number;
  queue: Promise<void>;
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
    absentSince: new Map(),
    gathered: new Map(),
    timer: undefined,
    maxArray: largestArray,
    queue: Promise.resolve(),
  };
  const folderOf = (jobId: string): string => {
    const { runId, attempt } = parseJobId(jobId);
    return join(options.node.folder, "runs", runId, String(attempt));
  };
  return { ...options, memory, folderOf };
}
