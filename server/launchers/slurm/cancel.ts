import { mkdir } from "node:fs/promises";
import type { Cluster } from "./cluster.ts";
import { isSurelyUnknown } from "./isSurelyUnknown.ts";
import { sharePast, shareQueue } from "./look.ts";
import { stateOf } from "./sightings.ts";
import * as ticket from "./ticket.ts";

/** Asks a job to stop; asked again after a while, takes it away. What was not submitted never will be. */
export async function cancel(cluster: Cluster, jobId: string): Promise<void> {
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
