import type { Job } from "../launcher.ts";
import type { Cluster } from "./cluster.ts";
import { type Asked, isSurelyUnknown } from "./isSurelyUnknown.ts";
import { sharedPastPoll } from "./poll.ts";
import { prepare, type Ready } from "./prepare.ts";
import { shapeOf, submitGroup } from "./submitGroup.ts";
import * as receipt from "./receipt.ts";
import { withProblemNoted } from "./withProblemNoted.ts";
import { groupBy } from "#packages/base";

/** Accepts a job. It is submitted at once, or together with jobs that arrive within a moment. */
export async function submit(cluster: Cluster, job: Job): Promise<void> {
  const { memory, gatherMs } = cluster;
  memory.gathered.set(job.jobId, job);
  if (memory.gathered.size >= memory.ceiling) return await flush(cluster);
  clearTimeout(memory.timer);
  memory.timer = setTimeout(() => void flush(cluster), gatherMs).unref();
}

/**
 * Submits the gathered jobs, one sbatch call at a time. Failures are recorded per job, and the jobs are requested
 * again.
 */
export function flush(cluster: Cluster): Promise<void> {
  const { memory } = cluster;
  clearTimeout(memory.timer);
  memory.queue = memory.queue.then(() => submitGathered(cluster));
  return memory.queue;
}

async function submitGathered(cluster: Cluster): Promise<void> {
  const { memory } = cluster;
  const jobs = [...memory.gathered.values()];
  memory.gathered.clear();
  await withProblemNoted(cluster, jobs, () => submitAll(cluster, jobs));
}

async function submitAll(cluster: Cluster, jobs: readonly Job[]): Promise<void> {
  const { memory, now } = cluster;
  if (now() < memory.quietUntilMs) return;
  const ready = await prepareAll(cluster, jobs);
  // All tasks of an array share one request. A request that is repeatedly held back must not delay the others.
  const shapes = groupBy(ready, shapeOf);
  const heldAtMs = (shape: string): number => memory.heldAtMs.get(shape) ?? 0;
  for (const [, alike] of [...shapes].toSorted(([one], [other]) => heldAtMs(one) - heldAtMs(other))) {
    for (let at = 0; at < alike.length;) {
      const group = alike.slice(at, at + Math.min(memory.room, memory.ceiling));
      await withProblemNoted(cluster, group, () => submitGroup(cluster, group));
      at += group.length;
    }
  }
}

/** Jobs to submit now, each with its files written. */
async function prepareAll(cluster: Cluster, jobs: readonly Job[]): Promise<Ready[]> {
  const ready: Ready[] = [];
  const asked: { job: Job; submitted: Asked }[] = [];
  const add = async (job: Job) => {
    const one = await prepare(cluster, job);
    if (one) ready.push(one);
  };
  for (const job of jobs) {
    await withProblemNoted(cluster, [job], async () => {
      const submitted = await receipt.readSubmitted(cluster.folderOf(job.jobId));
      if (submitted.is === "new") await add(job);
      if (submitted.is === "asked") asked.push({ job, submitted: { ...submitted, jobId: job.jobId } });
    });
  }
  if (asked.length === 0) return ready;
  const poll = await sharedPastPoll(cluster, Math.min(...asked.map(({ submitted }) => submitted.atMs)));
  for (const { job, submitted } of asked) {
    await withProblemNoted(cluster, [job], async () => {
      if (await isSurelyUnknown(cluster, submitted, poll)) await add(job);
    });
  }
  return ready;
}
