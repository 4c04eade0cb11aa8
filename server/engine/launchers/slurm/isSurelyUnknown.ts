import type { Cluster } from "./cluster.ts";
import { nameOf } from "./sbatchText.ts";
import { findByName, type TimedPoll } from "./stateReports.ts";
import * as receipt from "./receipt.ts";

const searchAgainMs = 60_000;

/** An attempt whose sbatch call has no noted answer. */
export type Asked = { jobId: string } & Extract<receipt.Submitted, { is: "asked" }>;

/**
 * True where a job whose submission has no answer may be submitted again. Searches it by name; Slurm's lists may lag,
 * so some time must have passed.
 */
export async function isSurelyUnknown(
  cluster: Cluster,
  { jobId, atMs, within }: Asked,
  poll: TimedPoll,
): Promise<boolean> {
  const found = findByName(nameOf(within?.array ?? jobId), poll);
  if (found !== undefined) {
    // The first visible task of an array reveals the array's id.
    const slurmId = within === undefined ? found : `${found.split("_")[0]}_${within.index}`;
    await receipt.noteAnswer(cluster.folderOf(jobId), { slurmId, submittedAtMs: atMs });
    return false;
  }
  return poll.squeue !== undefined && poll.beganAtMs - atMs >= searchAgainMs;
}
