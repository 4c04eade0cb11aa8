import type { Cluster } from "./cluster.ts";
import { nameOf } from "./sbatchText.ts";
import { findByName, type TimedPoll } from "./stateReports.ts";
import * as receipt from "./receipt.ts";

const searchAgainMs = 60_000;

/** An attempt that sbatch was called for, and no answer noted. */
export type Asked = { jobId: string } & Extract<receipt.Submitted, { is: "asked" }>;

/**
 * Whether a job whose submission left no answer may be submitted again. It is looked for by name; Slurm's lists may lag,
 * so a while must pass.
 */
export async function isSurelyUnknown(
  cluster: Cluster,
  { jobId, atMs, within }: Asked,
  poll: TimedPoll,
): Promise<boolean> {
  const found = findByName(nameOf(within?.array ?? jobId), poll);
  if (found !== undefined) {
    // The first task seen of an array tells the id of all.
    const slurmId = within === undefined ? found : `${found.split("_")[0]}_${within.index}`;
    await receipt.noteAnswer(cluster.folderOf(jobId), { slurmId, submittedAtMs: atMs });
    return false;
  }
  return poll.squeue !== undefined && poll.beganAtMs - atMs >= searchAgainMs;
}
