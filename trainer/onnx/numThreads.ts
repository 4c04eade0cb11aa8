import { availableParallelism } from "node:os";

/**
 * Threads for a run's passes: as many cores as its slots are (`ARLARENA_THREADS`), or as Slurm keeps for it, and no more
 * than there are. One where neither says so.
 */
export function numThreads(
  environment: Readonly<Record<string, string | undefined>>,
  numCores = availableParallelism(),
): number {
  const asked = Number(environment["ARLARENA_THREADS"] ?? environment["SLURM_CPUS_PER_TASK"] ?? 1);
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, numCores) : 1;
}
