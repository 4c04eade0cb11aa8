import type { Cluster } from "./cluster.ts";
import { nameOf } from "./sbatchText.ts";
import { findByName, type Look } from "./sightings.ts";
import * as ticket from "./ticket.ts";

const lookAgainMs = 60_000;

/** An attempt that sbatch was called for, and no answer noted. */
export type Asked = { jobId: string } & Extract<ticket.Submitted, { is: "asked" }>;

/**
 * Whether a job whose submission left no answer may be submitted again. It is looked for by name; Slurm's lists may lag,
 * so a while must pass.
 */
export async function isSurelyUnknown(cluster: Cluster, { jobId, atMs, within }: Asked, look: Look): Promise<boolean> {
  const found = findByName(nameOf(within?.array ?? jobId), look);
  if (found !== undefined) {
    // The first task seen of an array tells the id of all.
    const slurmId = within === undefined ? found : `${found.split("_")[0]}_${within.index}`;
    await ticket.noteAnswer(cluster.folderOf(jobId), { slurmId, submittedAtMs: atMs });
    return false;
  }
  return look.squeue !== undefined && look.beganAtMs - atMs >= lookAgainMs;
}
