import type { Command } from "@commander-js/extra-typings";
import { findSweep } from "../client/findSweep.ts";
import type { Performer } from "../command.ts";

export function addPause(program: Command, performer: Performer): void {
  const command = program.command("pause").description("stop starting runs of a sweep; running runs continue");
  setIntent(command, performer, { intent: "pause", says: "is paused: running runs continue" });
}

export function addResume(program: Command, performer: Performer): void {
  const command = program.command("resume").description("resume starting runs of a paused sweep");
  setIntent(command, performer, { intent: "run", says: "is resumed" });
}

type Intent = { intent: "pause" | "run"; says: string };

function setIntent(command: Command, { performInStudio }: Performer, { intent, says }: Intent): void {
  command.argument("<SWEEP>").action((sweep) =>
    performInStudio(async ({ database }) => {
      const { setSweepIntent } = await import("#server/db/plan/sweeps.ts");
      const { id } = await findSweep(database, sweep);
      await setSweepIntent(database, id, intent);
      return { text: `Sweep ${id} ${says}`, json: { sweep: id, intent }, exitCode: 0 };
    }),
  );
}
