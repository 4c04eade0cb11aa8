import type { Command } from "@commander-js/extra-typings";
import { findSweep } from "../client/findSweep.ts";
import type { Performer } from "../performer.ts";

export function addPause(program: Command, { performInStudio }: Performer): void {
  program
    .command("pause")
    .description("start no new run of a sweep; running runs go on")
    .argument("<SWEEP>")
    .action((sweep) =>
      performInStudio(async ({ database }) => {
        const { setSweepIntent } = await import("#server/db/plan/sweeps.ts");
        const { id } = await findSweep(database, sweep);
        await setSweepIntent(database, id, "pause");
        const text = `Sweep ${id} is paused: running runs go on`;
        return { text, json: { sweep: id, intent: "pause" }, exitCode: 0 };
      }),
    );
}
