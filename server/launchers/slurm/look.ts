import { userInfo } from "node:os";
import type { Cluster } from "./cluster.ts";
import { type Poll, readSacct, readSqueue, sacctArguments, squeueArguments } from "./sightings.ts";

/** The queue: one question for all jobs. */
export async function lookAtQueue({ ask }: Pick<Cluster, "ask">): Promise<Poll> {
  const { username } = userInfo();
  return { squeue: readSqueue(await ask("squeue", squeueArguments(username))), sacct: undefined };
}

/** The accounting beside it, asked only when the queue has lost sight of a job. */
export async function lookAtPast({ ask }: Pick<Cluster, "ask">, poll: Poll, sinceMs: number): Promise<Poll> {
  const { username } = userInfo();
  return { ...poll, sacct: readSacct(await ask("sacct", sacctArguments(username, sinceMs))) };
}
