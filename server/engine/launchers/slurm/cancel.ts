import { mkdir } from "node:fs/promises";
import type { Cluster } from "./cluster.ts";
import { isSurelyUnknown } from "./isSurelyUnknown.ts";
import { sharedPastPoll, sharedQueuePoll } from "./poll.ts";
import { stateOf } from "./stateReports.ts";
import * as receipt from "./receipt.ts";

/** Asks a job to stop; a later call removes it. A job not yet submitted never will be. */
export async function cancel(cluster: Cluster, jobId: string): Promise<void> {
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
