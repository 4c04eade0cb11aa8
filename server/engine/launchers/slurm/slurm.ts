import { writeWhole } from "#server/config/writeWhole.ts";
import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { groupBy } from "#packages/base";
import { isEnded } from "#server/domain/fleet/job.ts";
import type { Job, Launcher } from "../launcher.ts";
import { readChunk } from "../local.ts";
import { paced, rest } from "../pace.ts";
import {
  type Cluster,
  largestArray,
  makeAskSlurm,
  makeCluster,
  sharedPastPoll,
  sharedQueuePoll,
  type SlurmOptions,
} from "./cluster.ts";
import { prepare, type Ready } from "./prepare.ts";
import { findByName, stateOf, type TimedPoll } from "./stateReports.ts";
import * as receipt from "./receipt.ts";
import { observe } from "./observe.ts";
import { arrayText, nameOf, secretsFile } from "./sbatchText.ts";
import { readSubmission, type Submission } from "./submission.ts";

/** Runs jobs on Slurm. The attempt's folder on the shared disk records each step, so a lost response does no harm. */
export function makeSlurmLauncher(options: SlurmOptions): Launcher {
  const { pollMs = 5000, patienceMs = 5000, gatherMs = 0, ask = makeAskSlurm(process.env), now = Date.now } = options;
  const cluster = makeCluster({ ...options, ask, now, gatherMs });
  const { memory } = cluster;
  return {
    node: options.node.name,
    folderOf: cluster.folderOf,
    launch: (job) => submit(cluster, job),
    observe: paced(pollMs, async (jobs) => {
      // Each poll of the job states first submits the collected jobs, but waits for sbatch only a limited time.
      await Promise.race([flush(cluster), rest(patienceMs)]);
      const observation = await observe(cluster, jobs);
      // A job that was killed or never began has not deleted its file of secrets, so the file is deleted here.
      for (const [jobId, state] of observation.states) {
        if (isEnded(state))
          await rm(join(cluster.folderOf(jobId), secretsFile), { force: true }).catch(() => undefined);
      }
      return observation;
    }),
    cancel: async (jobId) => {
      memory.gathered.delete(jobId);
      await memory.queue;
      await cancel(cluster, jobId);
    },
    letGo: () => {
      clearTimeout(memory.timer);
      memory.gathered.clear();
    },
    readLog: (jobId, fromByte) => readChunk(join(cluster.folderOf(jobId), "events.jsonl"), fromByte),
  };
}

/** Asks a job to stop; a call after a grace period kills it. An unsubmitted job will never be submitted. */
async function cancel(cluster: Cluster, jobId: string): Promise<void> {
  const { ask, now, killAfterMs = 60_000 } = cluster;
  const folder = cluster.folderOf(jobId);
  await mkdir(folder, { recursive: true });
  const submitted = await receipt.readSubmitted(folder);
  if (submitted.is === "new") return await receipt.preventStart(folder);
  if (submitted.is === "asked") {
    const poll = await sharedPastPoll(cluster, submitted.atMs);
    if (await isSurelyUnknown(cluster, { ...submitted, jobId }, poll)) await receipt.preventStart(folder);
    return;
  }
  if (submitted.is !== "accepted") return;
  const { slurmId } = submitted.receipt;
  const askedAtMs = await receipt.readCancelled(folder);
  if (askedAtMs === undefined) {
    await askToStop(cluster, slurmId);
    return await receipt.noteCancelled(folder);
  }
  if (now() - askedAtMs >= killAfterMs) await ask("scancel", [slurmId]);
}

// Asks a job to stop: a queued job is removed, a running one's batch shell forwards the signal to the trainer.
// `--state` does not work for array tasks: before any task has started, it removes all tasks (Slurm 22.05).
async function askToStop(cluster: Cluster, slurmId: string): Promise<void> {
  const isTask = slurmId.includes("_");
  const isWaiting = isTask && stateOf(slurmId, await sharedQueuePoll(cluster), 0).is === "queued";
  if (isWaiting) return void (await cluster.ask("scancel", [slurmId]));
  if (!isTask) await cluster.ask("scancel", ["--state=PENDING", slurmId]);
  await cluster.ask("scancel", ["--batch", "--signal=TERM", slurmId]);
}

/** Accepts a job and submits it to Slurm, either at once or together with jobs that arrive shortly after it. */
async function submit(cluster: Cluster, job: Job): Promise<void> {
  const { memory, gatherMs } = cluster;
  memory.gathered.set(job.jobId, job);
  if (memory.gathered.size >= memory.ceiling) return await flush(cluster);
  clearTimeout(memory.timer);
  memory.timer = setTimeout(() => void flush(cluster), gatherMs).unref();
}

/** Submits the collected jobs, one sbatch call at a time. The orchestrator submits failed ones again later. */
function flush(cluster: Cluster): Promise<void> {
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
  // Tasks of an array share one resource request. Requests that Slurm deferred last come last and delay no others.
  const shapes = groupBy(ready, ({ shape }) => shape);
  const heldAtMs = (shape: string): number => memory.heldAtMs.get(shape) ?? 0;
  for (const [, alike] of [...shapes].toSorted(([one], [other]) => heldAtMs(one) - heldAtMs(other))) {
    for (let at = 0; at < alike.length;) {
      const group = alike.slice(at, at + Math.min(memory.room, memory.ceiling));
      await withProblemNoted(cluster, group, () => submitGroup(cluster, group));
      at += group.length;
    }
  }
}

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

const searchAgainMs = 60_000;

type Asked = { jobId: string } & Extract<receipt.Submitted, { is: "asked" }>;

/**
 * True if a job may be submitted again after an sbatch call with no recorded response. A job that is found by name is
 * recorded as accepted. Slurm's job lists may lag, so some time must have passed since the call.
 */
async function isSurelyUnknown(cluster: Cluster, { jobId, atMs, within }: Asked, poll: TimedPoll): Promise<boolean> {
  const found = findByName(nameOf(within?.array ?? jobId), poll);
  if (found !== undefined) {
    // The id of one task of a job array contains the array's id, from which the id of this task follows.
    const slurmId = within === undefined ? found : `${found.split("_")[0]}_${within.index}`;
    await receipt.noteAnswer(cluster.folderOf(jobId), { slurmId, submittedAtMs: atMs });
    return false;
  }
  return poll.squeue !== undefined && poll.beganAtMs - atMs >= searchAgainMs;
}

/** Submits a group of jobs with one sbatch call: several jobs as a job array, one job on its own. */
async function submitGroup(cluster: Cluster, group: readonly Ready[]): Promise<void> {
  const { now, memory } = cluster;
  if (now() < memory.quietUntilMs) return;
  const submittedAtMs = now();
  const answer = await askFor(cluster, group);
  switch (answer.kind) {
    case "accepted":
      for (const [index, one] of group.entries()) {
        const slurmId = group.length > 1 ? `${answer.slurmId}_${index}` : answer.slurmId;
        await withProblemNoted(cluster, [one], () => receipt.noteAnswer(one.folder, { slurmId, submittedAtMs }));
      }
      memory.quietMs = 0;
      memory.heldAtMs.clear();
      memory.room = Math.min(largestArray, memory.room * 2);
      return;
    case "refused":
      for (const { folder } of group) await receipt.noteAnswer(folder, { refused: answer.why });
      return;
    case "noArray": {
      if (group.length === 1) return await holdBack(cluster, group, { ...answer, mayExist: false });
      const half = Math.ceil(group.length / 2);
      memory.ceiling = half;
      for (const { folder } of group) await receipt.noteAnswer(folder, "later");
      await submitGroup(cluster, group.slice(0, half));
      return await submitGroup(cluster, group.slice(half));
    }
    case "later":
      return await holdBack(cluster, group, answer);
  }
}

// Calls sbatch for a group of jobs, after recording the call in the folder of each job, so that a crash is noticed.
async function askFor(cluster: Cluster, group: readonly Ready[]): Promise<Submission> {
  const [first] = group;
  if (first === undefined) throw new Error("nothing to submit");
  const array = group.length > 1 ? `array-${randomUUID()}` : undefined;
  const script = array === undefined ? first.script : await writeArray(cluster, array, group);
  try {
    for (const [index, { folder }] of group.entries()) {
      await receipt.noteAsked(folder, array === undefined ? undefined : { array, index });
    }
  } catch (error) {
    for (const { folder } of group) await receipt.noteAnswer(folder, "later").catch(() => undefined);
    throw error;
  }
  const answer = readSubmission(await cluster.ask("sbatch", ["--parsable", script]));
  // Slurm has its own copy of the array's script, so the file is deleted.
  if (array !== undefined) await rm(script, { force: true });
  return answer;
}

const maxQuietMs = 120_000;

type NotNow = { why: string; mayExist: boolean };

// Handles an sbatch call that Slurm deferred: all submissions wait for a while, and the next array is half as large.
async function holdBack(cluster: Cluster, group: readonly Ready[], { why, mayExist }: NotNow): Promise<void> {
  const { memory, now } = cluster;
  memory.room = Math.max(1, Math.floor(group.length / 2));
  memory.quietMs = Math.min(Math.max(10_000, memory.quietMs * 2), maxQuietMs);
  memory.quietUntilMs = now() + memory.quietMs;
  for (const one of group) {
    memory.heldAtMs.set(one.shape, now());
    memory.waiting.set(one.jobId, `not submitted yet: ${why}`);
    if (!mayExist) await receipt.noteAnswer(one.folder, "later");
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

/** Runs `work` for jobs that are to be submitted. An error is recorded for these jobs and affects no others. */
async function withProblemNoted({ memory }: Cluster, jobs: readonly { jobId: string }[], work: () => Promise<void>) {
  try {
    await work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    for (const { jobId } of jobs) memory.waiting.set(jobId, `not submitted yet: ${why}`);
  }
}
