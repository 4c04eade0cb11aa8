import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isEnded, type JobState } from "#server/domain/job.ts";
import type { Launcher, Sighting, Watched } from "../launcher.ts";
import { readChunk } from "../local.ts";
import { isSurelyUnknown } from "./isSurelyUnknown.ts";
import { lookAtPast, lookAtQueue, sharePast, shareQueue } from "./look.ts";
import { hostOf, isAbsent, type Poll, stateOf } from "./sightings.ts";
import { makeCluster, type Cluster, type SlurmOptions } from "./cluster.ts";
import { flush, submit } from "./submit.ts";
import * as ticket from "./ticket.ts";
import { hasLeft, toJobState } from "./toJobState.ts";
import { makeAskSlurm } from "./tools.ts";

/**
 * Jobs of a Slurm cluster whose machines share a file system with this one. The attempt's folder is the second witness:
 * the receipt of the submission, the exit code and the log lie there, so that no answer of Slurm's is ever missed.
 */
export function makeSlurmLauncher(options: SlurmOptions): Launcher {
  const { pollMs = 5000, patienceMs = 5000, gatherMs = 0, ask = makeAskSlurm(process.env), now = Date.now } = options;
  const cluster = makeCluster({ ...options, ask, now, gatherMs });
  const { memory } = cluster;
  let lastPollMs = 0;
  return {
    node: options.node.name,
    folderOf: cluster.folderOf,
    launch: (job) => submit(cluster, job),
    observe: async (jobs) => {
      await rest(lastPollMs + (jobs.length > 0 ? pollMs : 5 * pollMs) - Date.now());
      // Whoever looks after jobs wants to see what became of them, not that they wait for company; nor waits for sbatch.
      await Promise.race([flush(cluster), rest(patienceMs)]);
      const sighting = await observe(cluster, jobs);
      lastPollMs = Date.now();
      return sighting;
    },
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

// Keeps no process alive that has nothing else to do.
async function rest(ms: number): Promise<void> {
  await sleep(ms, undefined, { ref: false });
}

async function observe(cluster: Cluster, jobs: readonly Watched[]): Promise<Sighting> {
  const { memory } = cluster;
  const asked = new Set(jobs.map(({ jobId }) => jobId));
  // Whom nobody asks about any more is over.
  for (const since of [memory.absentSince, memory.bareSince]) {
    for (const jobId of since.keys()) if (!asked.has(jobId)) since.delete(jobId);
  }
  const states = new Map<string, JobState>();
  const open: Open[] = [];
  // What cannot be told of one job keeps nobody from being told of the others.
  const each = async (jobId: string, work: () => Promise<void>) => {
    await work().catch((error: unknown) => {
      states.set(jobId, { state: "unknown", why: error instanceof Error ? error.message : String(error) });
    });
  };
  await Promise.all(jobs.map(({ jobId }) => each(jobId, async () => void open.push(await readFolder(cluster, jobId)))));
  let poll: Poll = await lookAtQueue(cluster);
  const missing = open.flatMap(({ submitted }) =>
    submitted.is === "accepted" && (poll.squeue === undefined || isAbsent(submitted.ticket.slurmId, poll))
      ? [submitted.ticket.submittedAtMs]
      : [],
  );
  if (missing.length > 0) poll = await lookAtPast(cluster, poll, Math.min(...missing));
  await Promise.all(
    open.map((job) => each(job.jobId, async () => void states.set(job.jobId, await judge(cluster, poll, job)))),
  );
  const contact =
    poll.squeue === undefined
      ? ({ isMade: false, why: "squeue did not answer" } as const)
      : ({ isMade: true } as const);
  return { states, contact };
}

async function readFolder(cluster: Cluster, jobId: string): Promise<Open> {
  const folder = cluster.folderOf(jobId);
  const submitted = await ticket.readSubmitted(folder);
  return { jobId, folder, submitted, traces: await ticket.readTraces(folder, cluster.now()) };
}

type Open = {
  jobId: string;
  folder: string;
  submitted: ticket.Submitted;
  traces: ticket.Written;
};

const requeueMs = 120_000;

async function judge(cluster: Cluster, poll: Poll, { jobId, folder, submitted, traces }: Open): Promise<JobState> {
  const { memory, now, node } = cluster;
  const why = memory.waiting.get(jobId);
  if (submitted.is !== "new" && submitted.is !== "asked") memory.waiting.delete(jobId);
  switch (submitted.is) {
    case "forestalled":
      return { state: "exited", exitCode: 143 };
    case "refused":
      return { state: "lost", evidence: `sbatch refused it: ${submitted.why}`, cause: "submit_refused" };
    case "new":
    case "asked":
      return why === undefined ? { state: "submitted" } : { state: "submitted", why };
    case "accepted":
      break;
  }
  const { isClaimed } = submitted;
  const { slurmId } = submitted.ticket;
  const absentForMs = age(memory.absentSince, { jobId, isSo: isAbsent(slurmId, poll), nowMs: now() });
  const slurm = stateOf(slurmId, poll, absentForMs);
  const isBare = hasLeft(slurm) && !isClaimed && traces.exitCode === undefined;
  const bareForMs = age(memory.bareSince, { jobId, isSo: isBare, nowMs: now() });
  // Told to stop before it began. Without accounting it leaves the queue and no trace.
  const neverBegan = isBare || (slurm.is === "unknown" && isAbsent(slurmId, poll));
  if (neverBegan && (await ticket.wasForestalled(folder))) return { state: "exited", exitCode: 143 };
  // Slurm starts it again by itself, under the same id.
  if (node.requeue && slurm.is === "ended" && (slurm.how === "preempted" || slurm.how === "node_failed")) {
    if (traces.exitAgeMs < requeueMs)
      return { state: "queued", why: `${slurm.how}, waits to be requeued`, isStuck: false };
  }
  const state = toJobState(slurm, { ...traces, isClaimed, bareForMs }, hostOf(slurmId, poll));
  // What is told to have ended stays ended.
  if (isEnded(state)) await ticket.noteOver(folder);
  return state;
}

/** For how long something has been so of a job, without a break. */
function age(
  since: Map<string, number>,
  { jobId, isSo, nowMs }: { jobId: string; isSo: boolean; nowMs: number },
): number {
  if (!isSo) since.delete(jobId);
  else if (!since.has(jobId)) since.set(jobId, nowMs);
  return nowMs - (since.get(jobId) ?? nowMs);
}

async function cancel(cluster: Cluster, jobId: string): Promise<void> {
  const { ask, now, killAfterMs = 60_000 } = cluster;
  const folder = cluster.folderOf(jobId);
  await mkdir(folder, { recursive: true });
  const submitted = await ticket.readSubmitted(folder);
  if (submitted.is === "new") return await ticket.forestall(folder);
  if (submitted.is === "asked") {
    const look = await sharePast(cluster, submitted.atMs);
    if (await isSurelyUnknown(cluster, { ...submitted, jobId }, look)) await ticket.forestall(folder);
    return;
  }
  if (submitted.is !== "accepted") return;
  const { slurmId } = submitted.ticket;
  const askedAtMs = await ticket.readCancelled(folder);
  if (askedAtMs === undefined) {
    await askToStop(cluster, slurmId);
    return await ticket.noteCancelled(folder);
  }
  if (now() - askedAtMs >= killAfterMs) await ask("scancel", [slurmId]);
}

// A waiting job goes at once; of a running one the batch shell is told, which passes it on to the trainer. `--state` is
// not for tasks: as long as none of an array has started it takes all of them away (Slurm 22.05).
async function askToStop(cluster: Cluster, slurmId: string): Promise<void> {
  const isTask = slurmId.includes("_");
  const isWaiting = isTask && stateOf(slurmId, await shareQueue(cluster), 0).is === "queued";
  if (isWaiting) return void (await cluster.ask("scancel", [slurmId]));
  if (!isTask) await cluster.ask("scancel", ["--state=PENDING", slurmId]);
  await cluster.ask("scancel", ["--batch", "--signal=TERM", slurmId]);
}
