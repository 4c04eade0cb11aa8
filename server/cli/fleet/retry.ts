import type { Command } from "@commander-js/extra-typings";
import { formatCount } from "#packages/base";
import type { Database } from "#server/db/storage/client.ts";
import { findSweep, isRunId } from "../client/findSweep.ts";
import type { Outcome, Performer } from "../command.ts";

export function addRetry(program: Command, { performInStudio }: Performer): void {
  program
    .command("retry")
    .description("start one more attempt of failed and cancelled runs")
    .argument("<SWEEP|RUN>")
    .action((target) => performInStudio(({ database }) => retry(database, target)));
}

export async function retry(database: Database, target: string): Promise<Outcome> {
  if (isRunId(target)) {
    const { retryRun } = await import("#server/db/runs/runs.ts");
    await retryRun(database, target);
    return { text: `Run ${target} will be retried`, json: { run: target, numRuns: 1 }, exitCode: 0 };
  }
  const { retryRuns } = await import("#server/db/plan/sweeps.ts");
  const { id } = await findSweep(database, target);
  const numRuns = await retryRuns(database, id);
  const runs = formatCount(numRuns, "run");
  return { text: `${runs} of sweep ${id} will be retried`, json: { sweep: id, numRuns }, exitCode: 0 };
}
