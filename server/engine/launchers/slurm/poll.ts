import { userInfo } from "node:os";
import type { Cluster } from "./cluster.ts";
import { type TimedPoll, type Poll, readSacct, readSqueue, sacctArguments, squeueArguments } from "./stateReports.ts";

/** Queries the queue once for all jobs. */
export async function pollQueue({ ask, now }: Cluster): Promise<TimedPoll> {
  const { username } = userInfo();
  const beganAtMs = now();
  return { squeue: readSqueue(await ask("squeue", squeueArguments(username))), sacct: undefined, beganAtMs };
}

/** Queries the accounting too, only if the queue no longer lists a job. */
export async function pollPast<Seen extends Poll>({ ask }: Cluster, poll: Seen, sinceMs: number): Promise<Seen> {
  const { username } = userInfo();
  return { ...poll, sacct: readSacct(await ask("sacct", sacctArguments(username, sinceMs))) };
}

/** Shared query of the queue: concurrent callers get the same answer. */
export function sharedQueuePoll(cluster: Cluster): Promise<TimedPoll> {
  const { memory } = cluster;
  memory.queuePoll ??= pollQueue(cluster).finally(() => (memory.queuePoll = undefined));
  return memory.queuePoll;
}

/** Shared query that includes the accounting since a time. */
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
