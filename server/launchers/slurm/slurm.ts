import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isEnded, type JobState } from "#server/domain/job.ts";
import type { Launcher, Sighting, Watched } from "../launcher.ts";
import { readChunk } from "../local.ts";
import { lookAtPast, lookAtQueue } from "./look.ts";
import { hostOf, isAbsent, type Poll, stateOf } from "./sightings.ts";
import { makeCluster, type Cluster, type SlurmOptions } from "./cluster.ts";
import { flush, isSurelyUnknown, submit } from "./submit.ts";
import * as ticket from "./ticket.ts";
import { toJobState } from "./toJobState.ts";
import { makeAskSlurm } from "./tools.ts";

/**
 * Jobs of a Slurm cluster whose machines share a file system with this one. The attempt's folder is the second witness:
 * the receipt of the submission, the exit code and the log lie there, so that no answer of Slurm's is ever missed.
 */
export function makeSlurmLauncher(options: SlurmOptions): Launcher {
  const { pollMs = 5000, gatherMs = 0, ask = makeAskSlurm(process.env), now = Date.now } = options;
  const cluster = makeCluster({ ...options, ask, now, gatherMs });
  const { memory } = cluster;
  let lastPollMs = 0;
  return {
    node: options.node.name,
    folderOf: cluster.folderOf,
    launch: (job) => submit(cluster, job),
    observe: async (jobs) => {
      await sleep(lastPollMs + (jobs.length > 0 ? pollMs : 5 * pollMs) - Date.now());
      // Whoever looks after jobs wants to see what became of them, not that they wait for company.
      await flush(cluster).catch(() => undefined);
      const sighting = await observe(cluster, jobs);
      lastPollMs = Date.now();
      return sighting;
    },
    cancel: async (jobId) => {
      memory.gathered.delete(jobId);
      await memory.queue;
      await cancel(cluster, jobId);
    },
    readLog: (jobId, fromByte) => readChunk(join(cluster.folderOf(jobId), "events.jsonl"), fromByte),
  };
}

async function observe(cluster: Cluster, jobs: readonly Watched[]): Promise<Sighting> {
  const open = await Promise.all(
    jobs.map(async ({ jobId }) => {
      const folder = cluster.folderOf(jobId);
      return {
        jobId,
        folder,
        submitted: await ticket.readSubmitted(folder),
        traces: await ticket.readTraces(folder, cluster.now()),
      };
    }),
  );
  let poll = await lookAtQueue(cluster);
  const missing = open.flatMap(({ submitted }) =>
    submitted.is === "accepted" && (poll.squeue === undefined || isAbsent(submitted.ticket.slurmId, poll))
      ? [submitted.ticket.submittedAtMs]
      : [],
  );
  if (missing.length > 0) poll = await lookAtPast(cluster, poll, Math.min(...missing));
  const states = await Promise.all(open.map(async (job) => [job.jobId, await judge(cluster, poll, job)] as const));
  const contact =
    poll.squeue === undefined
      ? ({ isMade: false, why: "squeue did not answer" } as const)
      : ({ isMade: true } as const);
  return { states: new Map(states), contact };
}

type Open = {
  jobId: string;
  folder: string;
  submitted: ticket.Submitted;
  traces: Awaited<ReturnType<typeof ticket.readTraces>>;
};

const requeueMs = 120_000;

async function judge(cluster: Cluster, poll: Poll, { jobId, folder, submitted, traces }: Open): Promise<JobState> {
  const { memory, now, node } = cluster;
  switch (submitted.is) {
    case "forestalled":
      return { state: "exited", exitCode: 143 };
    case "refused":
      return { state: "lost", evidence: `sbatch refused it: ${submitted.why}`, cause: "submit_refused" };
    case "new":
    case "asked": {
      const why = memory.waiting.get(jobId);
      return why === undefined ? { state: "submitted" } : { state: "submitted", why };
    }
    case "accepted":
      break;
  }
  const { slurmId } = submitted.ticket;
  if (!isAbsent(slurmId, poll)) memory.absentSince.delete(jobId);
  else if (!memory.absentSince.has(jobId)) memory.absentSince.set(jobId, now());
  const absentForMs = now() - (memory.absentSince.get(jobId) ?? now());
  const slurm = stateOf(slurmId, poll, absentForMs);
  // Without accounting, a task that was cancelled before it started leaves the queue and no trace.
  if (slurm.is === "unknown" && isAbsent(slurmId, poll) && (await ticket.wasForestalled(folder))) {
    return { state: "exited", exitCode: 143 };
  }
  // Slurm starts it again by itself, under the same id.
  if (node.requeue && slurm.is === "ended" && (slurm.how === "preempted" || slurm.how === "node_failed")) {
    if (traces.exitAgeMs < requeueMs)
      return { state: "queued", why: `${slurm.how}, waits to be requeued`, isStuck: false };
  }
  const state = toJobState(slurm, traces, hostOf(slurmId, poll));
  // What is told to have ended stays ended.
  if (isEnded(state)) await ticket.noteOver(folder);
  return state;
}

async function cancel(cluster: Cluster, jobId: string): Promise<void> {
  const { ask, now, killAfterMs = 60_000 } = cluster;
  const folder = cluster.folderOf(jobId);
  await mkdir(folder, { recursive: true });
  const submitted = await ticket.readSubmitted(folder);
  if (submitted.is === "new") return await ticket.forestall(folder);
  if (submitted.is === "asked") {
    if (await isSurelyUnknown(cluster, jobId, submitted)) await ticket.forestall(folder);
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
  const isWaiting = isTask && stateOf(slurmId, await lookAtQueue(cluster), 0).is === "queued";
  if (isWaiting) return void (await cluster.ask("scancel", [slurmId]));
  if (!isTask) await cluster.ask("scancel", ["--state=PENDING", slurmId]);
  await cluster.ask("scancel", ["--batch", "--signal=TERM", slurmId]);
}
