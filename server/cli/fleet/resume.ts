import type { Command } from "@commander-js/extra-typings";
import { findSweep } from "../client/findSweep.ts";
import type { Performer } from "../performer.ts";

export function addResume(program: Command, { performInStudio }: Performer): void {
  program
    .command("resume")
    .description("start the runs of a paused sweep again")
    .argument("<SWEEP>")
    .action((sweep) =>
      performInStudio(async ({ database }) => {
        const { setSweepIntent } = await import("#server/db/plan/sweeps.ts");
        const { id } = await findSweep(database, sweep);
        await setSweepIntent(database, id, "run");
        return { text: `Sweep ${id} goes on`, json: { sweep: id, intent: "run" }, exitCode: 0 };
      }),
    );
}
