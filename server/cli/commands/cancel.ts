import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/client.ts";
import { findSweep, isRunId } from "../client/findSweep.ts";
import type { Outcome } from "../outcome.ts";
import type { Performer } from "../performer.ts";

export function addCancel(program: Command, { performInStudio }: Performer): void {
  program
    .command("cancel")
    .description("stop a sweep or one run")
    .argument("<SWEEP|RUN>")
    .action((target) => performInStudio(({ database }) => cancel(database, target)));
}

/** Asks for a sweep or a run to be stopped; the orchestrator does it. */
export async function cancel(database: Database, target: string): Promise<Outcome> {
  if (isRunId(target)) {
    const { cancelRun } = await import("#server/db/runs.ts");
    await cancelRun(database, target);
    return { text: `Run ${target} is being cancelled`, json: { run: target, intent: "cancel" }, exitCode: 0 };
  }
  const { setSweepIntent } = await import("#server/db/sweeps.ts");
  const { id } = await findSweep(database, target);
  await setSweepIntent(database, id, "cancel");
  return { text: `Sweep ${id} is being cancelled`, json: { sweep: id, intent: "cancel" }, exitCode: 0 };
}
