import type { Cluster } from "./cluster.ts";

/** Runs work for jobs about to be submitted. An error is recorded for them and does not affect others. */
export async function withProblemNoted(
  { memory }: Cluster,
  jobs: readonly { jobId: string }[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    for (const { jobId } of jobs) memory.waiting.set(jobId, `not submitted yet: ${why}`);
  }
}
