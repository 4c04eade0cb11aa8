import type { Cluster } from "./cluster.ts";

/** Does something for jobs that are to be submitted. What goes wrong is said of them and keeps no other from it. */
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
