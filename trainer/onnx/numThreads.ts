import { availableParallelism } from "node:os";

/**
 * Number of threads for a run's passes: the cores of its slots (`ARLARENA_THREADS`), or those that Slurm assigns, at
 * most the existing ones. 1 where neither is set.
 */
export function numThreads(
  environment: Readonly<Record<string, string | undefined>>,
  numCores = availableParallelism(),
): number {
  const asked = Number(environment["ARLARENA_THREADS"] ?? environment["SLURM_CPUS_PER_TASK"] ?? 1);
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, numCores) : 1;
}
