import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import { findSweep } from "../client/findSweep.ts";
import type { Outcome, Performer } from "../command.ts";

export function addDelete(program: Command, { performInStudio }: Performer): void {
  program
    .command("delete")
    .description("delete a sweep that has ended, with its measurements; its runs' folders stay on disk")
    .argument("<SWEEP>")
    .requiredOption("--yes", "confirm the deletion, which cannot be undone")
    .action((sweep) => performInStudio(({ database }) => deleteSweep(database, sweep)));
}

export async function deleteSweep(database: Database, target: string): Promise<Outcome> {
  const sweeps = await import("#server/db/plan/sweeps.ts");
  const { id } = await findSweep(database, target);
  await sweeps.deleteSweep(database, id);
  return { text: `Sweep ${id} is deleted; the folders of its runs stay`, json: { sweep: id }, exitCode: 0 };
}
