import { userInfo } from "node:os";
import type { Cluster } from "./cluster.ts";
import { type Look, type Poll, readSacct, readSqueue, sacctArguments, squeueArguments } from "./sightings.ts";

/** The queue: one question for all jobs. */
export async function lookAtQueue({ ask, now }: Cluster): Promise<Look> {
  const { username } = userInfo();
  const beganAtMs = now();
  return { squeue: readSqueue(await ask("squeue", squeueArguments(username))), sacct: undefined, beganAtMs };
}

/** The accounting beside it, asked only when the queue has lost sight of a job. */
export async function lookAtPast<Seen extends Poll>({ ask }: Cluster, poll: Seen, sinceMs: number): Promise<Seen> {
  const { username } = userInfo();
  return { ...poll, sacct: readSacct(await ask("sacct", sacctArguments(username, sinceMs))) };
}

/** The queue for many who want to know it at the same moment: who comes while it is asked is told the same. */
export function shareQueue(cluster: Cluster): Promise<Look> {
  const { memory } = cluster;
  memory.queueLook ??= lookAtQueue(cluster).finally(() => (memory.queueLook = undefined));
  return memory.queueLook;
}

/** The same with the accounting since a time. */
export function sharePast(cluster: Cluster, sinceMs: number): Promise<Look> {
  const { memory } = cluster;
  if (memory.pastLook !== undefined && memory.pastLook.sinceMs <= sinceMs) return memory.pastLook.look;
  const look = shareQueue(cluster).then((poll) => lookAtPast(cluster, poll, sinceMs));
  const shared = { sinceMs, look };
  memory.pastLook = shared;
  const forget = () => {
    if (memory.pastLook === shared) memory.pastLook = undefined;
  };
  look.then(forget, forget);
  return look;
}
