import { isEnded, type JobState } from "#server/domain/fleet/job.ts";
import type { Observation, Watched } from "../launcher.ts";
import { readDisk } from "../files.ts";
import { ageOf } from "../pace.ts";
import { type Cluster, pollPast, pollQueue } from "./cluster.ts";
import { hostOf, isAbsent, type Poll, stateOf } from "./stateReports.ts";
import * as receipt from "./receipt.ts";
import { hasLeft, toJobState } from "./toJobState.ts";

export async function observe(cluster: Cluster, jobs: readonly Watched[]): Promise<Observation> {
  const { memory } = cluster;
  const asked = new Set(jobs.map(({ jobId }) => jobId));
  // A job that the caller no longer watches has ended, so its times are deleted.
  for (const since of [memory.absentSince, memory.bareSince]) {
    for (const jobId of since.keys()) if (!asked.has(jobId)) since.delete(jobId);
  }
  const states = new Map<string, JobState>();
  const open: Open[] = [];
  // An error for one job must not affect the other jobs.
  const each = async (jobId: string, work: () => Promise<void>) => {
    await work().catch((error: unknown) => {
      states.set(jobId, { state: "unknown", why: error instanceof Error ? error.message : String(error) });
    });
  };
  await Promise.all(jobs.map(({ jobId }) => each(jobId, async () => void open.push(await readFolder(cluster, jobId)))));
  let poll: Poll = await pollQueue(cluster);
  const missing = open.flatMap(({ submitted }) =>
    submitted.is === "accepted" && (poll.squeue === undefined || isAbsent(submitted.receipt.slurmId, poll))
      ? [submitted.receipt.submittedAtMs]
      : [],
  );
  if (missing.length > 0) poll = await pollPast(cluster, poll, Math.min(...missing));
  await Promise.all(
    open.map((job) => each(job.jobId, async () => void states.set(job.jobId, await judge(cluster, poll, job)))),
  );
  if (poll.squeue === undefined) return { states, contact: { isMade: false, why: "squeue did not answer" } };
  const disk = await readDisk(cluster.node.folder);
  return { states, contact: { isMade: true, ...(disk && { disk }) } };
}

async function readFolder(cluster: Cluster, jobId: string): Promise<Open> {
  const folder = cluster.folderOf(jobId);
  const submitted = await receipt.readSubmitted(folder);
  return { jobId, folder, submitted, traces: await receipt.readTraces(folder, cluster.now()) };
}

type Open = { jobId: string; folder: string; submitted: receipt.Submitted; traces: receipt.Written };

const requeueMs = 120_000;

async function judge(cluster: Cluster, poll: Poll, { jobId, folder, submitted, traces }: Open): Promise<JobState> {
  const { memory, now, node } = cluster;
  const why = memory.waiting.get(jobId);
  if (submitted.is !== "new" && submitted.is !== "asked") memory.waiting.delete(jobId);
  switch (submitted.is) {
    case "prevented":
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
  const { slurmId } = submitted.receipt;
  const absentForMs = ageOf(memory.absentSince, { jobId, isSo: isAbsent(slurmId, poll), nowMs: now() });
  const slurm = stateOf(slurmId, poll, absentForMs);
  const isBare = hasLeft(slurm) && !isClaimed && traces.exitCode === undefined;
  const bareForMs = ageOf(memory.bareSince, { jobId, isSo: isBare, nowMs: now() });
  // The job was stopped before it began. Without Slurm's accounting, such a job leaves the queue without a trace.
  const neverBegan = isBare || (slurm.is === "unknown" && isAbsent(slurmId, poll));
  if (neverBegan && (await receipt.wasPrevented(folder))) return { state: "exited", exitCode: 143 };
  // With `requeue`, Slurm itself restarts the job under the same id.
  if (node.requeue && slurm.is === "ended" && (slurm.how === "preempted" || slurm.how === "node_failed")) {
    if (traces.exitAgeMs < requeueMs)
      return { state: "queued", why: `${slurm.how}, waits to be requeued`, isStuck: false };
  }
  const state = toJobState(slurm, { ...traces, isClaimed, bareForMs }, hostOf(slurmId, poll) ?? traces.host);
  // The folder records that the job has ended, so that the job cannot start again.
  if (isEnded(state)) await receipt.noteOver(folder);
  return state;
}
