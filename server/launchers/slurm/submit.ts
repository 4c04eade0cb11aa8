import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Job } from "../launcher.ts";
import { lookAtPast, lookAtQueue } from "./look.ts";
import { prepare, type Ready } from "./prepare.ts";
import { arrayText, nameOf } from "./sbatchText.ts";
import { findByName } from "./sightings.ts";
import { largestArray, type Cluster } from "./cluster.ts";
import { readSubmission } from "./submission.ts";
import { writeWhole } from "../writeWhole.ts";
import * as ticket from "./ticket.ts";

/** Takes a job on. It is submitted at once, or with those that come within a moment of it. */
export async function submit(cluster: Cluster, job: Job): Promise<void> {
  const { memory, gatherMs } = cluster;
  memory.gathered.set(job.jobId, job);
  if (gatherMs === 0 || memory.gathered.size >= memory.maxArray) return await flush(cluster);
  clearTimeout(memory.timer);
  memory.timer = setTimeout(() => void flush(cluster).catch(() => undefined), gatherMs);
}

/** Submits what was gathered, one call of sbatch at a time. What fails is said of the jobs, and they are asked for again. */
export function flush(cluster: Cluster): Promise<void> {
  const { memory } = cluster;
  clearTimeout(memory.timer);
  const work = memory.queue.then(() => submitGathered(cluster));
  memory.queue = work.catch(() => undefined);
  return work;
}

async function submitGathered(cluster: Cluster): Promise<void> {
  const { memory } = cluster;
  const jobs = [...memory.gathered.values()];
  memory.gathered.clear();
  try {
    await submitAll(cluster, jobs);
  } catch (error) {
    for (const { jobId } of jobs) memory.waiting.set(jobId, `not submitted yet: ${String(error)}`);
    throw error;
  }
}

async function submitAll(cluster: Cluster, jobs: readonly Job[]): Promise<void> {
  const ready: Ready[] = [];
  for (const job of jobs) {
    const one = (await isToSubmit(cluster, job.jobId)) ? await prepare(cluster, job) : undefined;
    if (one) ready.push(one);
  }
  // All tasks of an array share one request.
  const shapes = new Map<string, Ready[]>();
  for (const one of ready) {
    const shape = JSON.stringify(one.request);
    shapes.set(shape, [...(shapes.get(shape) ?? []), one]);
  }
  for (const alike of shapes.values()) {
    for (let at = 0; at < alike.length;) {
      const group = alike.slice(at, at + cluster.memory.maxArray);
      await submitGroup(cluster, group);
      at += group.length;
    }
  }
}

async function isToSubmit(cluster: Cluster, jobId: string): Promise<boolean> {
  const submitted = await ticket.readSubmitted(cluster.folderOf(jobId));
  if (cluster.now() < cluster.memory.quietUntilMs) return false;
  return submitted.is === "new" || (submitted.is === "asked" && (await isSurelyUnknown(cluster, jobId, submitted)));
}

const maxQuietMs = 120_000;

// Several jobs are one array: one call, one place in the controller's books, an element each.
async function submitGroup(cluster: Cluster, group: readonly Ready[]): Promise<void> {
  const { ask, now, memory } = cluster;
  const [first] = group;
  if (first === undefined || now() < memory.quietUntilMs) return;
  const isArray = group.length > 1;
  const array = isArray ? `array-${randomUUID()}` : undefined;
  const script = array === undefined ? first.script : await writeArray(cluster, array, group);
  for (const [index, { folder }] of group.entries()) {
    await ticket.noteAsked(folder, array === undefined ? undefined : { array, index });
  }
  const submittedAtMs = now();
  const result = await ask("sbatch", ["--parsable", script]);
  const answer = readSubmission(result);
  if (answer.kind === "accepted") {
    for (const [index, { jobId, folder }] of group.entries()) {
      const slurmId = isArray ? `${answer.slurmId}_${index}` : answer.slurmId;
      await ticket.noteAnswer(folder, { slurmId, submittedAtMs });
      memory.waiting.delete(jobId);
    }
    memory.quietMs = 0;
    if (isArray) memory.maxArray = Math.min(largestArray, memory.maxArray * 2);
    return;
  }
  if (answer.kind === "refused" && isArray && /array/i.test(answer.why)) {
    // The site wants no arrays, or not of this size.
    const half = Math.ceil(group.length / 2);
    memory.maxArray = half;
    for (const { folder } of group) await ticket.noteAnswer(folder, "later");
    await submitGroup(cluster, group.slice(0, half));
    return await submitGroup(cluster, group.slice(half));
  }
  if (answer.kind === "refused") {
    for (const { folder } of group) await ticket.noteAnswer(folder, { refused: answer.why });
    return;
  }
  // Back-pressure holds for every submission, not for these alone; a smaller array may fit.
  memory.maxArray = Math.max(1, Math.floor(group.length / 2));
  memory.quietMs = Math.min(Math.max(10_000, memory.quietMs * 2), maxQuietMs);
  memory.quietUntilMs = now() + memory.quietMs;
  for (const { jobId, folder } of group) {
    memory.waiting.set(jobId, `not submitted yet: ${answer.why}`);
    if (!("timedOut" in result)) await ticket.noteAnswer(folder, "later");
  }
}

async function writeArray({ node }: Cluster, array: string, group: readonly Ready[]): Promise<string> {
  const folder = join(node.folder, "arrays");
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${array}.sbatch`);
  const [first] = group;
  if (first) await writeWhole(path, arrayText(array, group, first.request));
  return path;
}

const lookAgainMs = 60_000;

type Asked = Extract<ticket.Submitted, { is: "asked" }>;

/**
 * Whether a job whose submission left no answer may be submitted again. It is looked for by name; Slurm's lists may lag,
 * so a while must pass.
 */
export async function isSurelyUnknown(cluster: Cluster, jobId: string, { atMs, within }: Asked): Promise<boolean> {
  const poll = await lookAtPast(cluster, await lookAtQueue(cluster), atMs);
  const found = findByName(nameOf(within?.array ?? jobId), poll);
  if (found !== undefined) {
    // The first task seen of an array tells the id of all.
    const slurmId = within === undefined ? found : `${found.split("_")[0]}_${within.index}`;
    await ticket.noteAnswer(cluster.folderOf(jobId), { slurmId, submittedAtMs: atMs });
    return false;
  }
  return poll.squeue !== undefined && cluster.now() - atMs >= lookAgainMs;
}
