import { rm, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isEnded } from "#server/domain/fleet/job.ts";
import type { Launcher } from "../launcher.ts";
import { readChunk } from "../local.ts";
import { isSurelyUnknown } from "./isSurelyUnknown.ts";
import { sharedPastPoll, sharedQueuePoll } from "./poll.ts";
import { stateOf } from "./stateReports.ts";
import * as receipt from "./receipt.ts";
import { makeCluster, type SlurmOptions, type Cluster } from "./cluster.ts";
import { observe } from "./observe.ts";
import { secretsFile } from "./sbatchText.ts";
import { flush, submit } from "./submit.ts";
import { makeAskSlurm } from "./tools.ts";

/**
 * Runs jobs on a Slurm cluster that shares a file system with this machine. The attempt's folder is a second source:
 * receipt, exit code and log are stored there, so that a lost answer of Slurm does no harm.
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
      // Polling submits gathered jobs at once, and does not wait long for sbatch.
      await Promise.race([flush(cluster), rest(patienceMs)]);
      const observation = await observe(cluster, jobs);
      lastPollMs = Date.now();
      // A job that was killed, or never began, has left its secrets behind.
      for (const [jobId, state] of observation.states) {
        if (isEnded(state))
          await rm(join(cluster.folderOf(jobId), secretsFile), { force: true }).catch(() => undefined);
      }
      return observation;
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

// Does not keep an otherwise idle process alive.
async function rest(ms: number): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { ref: false });
}

/** Asks a job to stop; a later call removes it. A job not yet submitted never will be. */
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

// A waiting job ends at once; for a running one the batch shell gets the signal and forwards it to the trainer.
// `--state` does not work for tasks: before any task of an array has started it removes all of them (Slurm 22.05).
async function askToStop(cluster: Cluster, slurmId: string): Promise<void> {
  const isTask = slurmId.includes("_");
  const isWaiting = isTask && stateOf(slurmId, await sharedQueuePoll(cluster), 0).is === "queued";
  if (isWaiting) return void (await cluster.ask("scancel", [slurmId]));
  if (!isTask) await cluster.ask("scancel", ["--state=PENDING", slurmId]);
  await cluster.ask("scancel", ["--batch", "--signal=TERM", slurmId]);
}
