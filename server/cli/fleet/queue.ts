import { type Command, Option } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import { formatCount } from "#packages/base";
import { findSweep } from "../client/findSweep.ts";
import { toMinutes } from "../options.ts";
import type { Outcome, Performer } from "../command.ts";

export function addPriority(program: Command, { performInStudio }: Performer): void {
  program
    .command("priority")
    .description("move a sweep to the front of the queue")
    .argument("<SWEEP>")
    .addOption(
      new Option("--sooner <TIME>", "queue it as if launched 30m, 2h or 1d earlier, instead of at the front").argParser(
        toMinutes,
      ),
    )
    .addOption(
      new Option("--later <TIME>", "queue it as if launched later, instead of at the front")
        .argParser(toMinutes)
        .conflicts("sooner"),
    )
    .action((sweep, { sooner, later }) => {
      const priority = sooner ?? (later === undefined ? "front" : -later);
      return performInStudio(({ database }) => prioritise(database, sweep, priority));
    });
}

/** `priority`: minutes by which the sweep is treated as launched earlier (later, if negative). */
async function prioritise(database: Database, sweep: string, priority: number | "front"): Promise<Outcome> {
  const { setPriority } = await import("#server/db/fleet/nodes.ts");
  const { id } = await findSweep(database, sweep);
  const minutes = await setPriority(database, id, priority);
  const size = formatCount(Math.abs(minutes), "minute");
  const when = minutes === 0 ? "at its launch time" : `${size} ${minutes > 0 ? "before" : "after"} its launch time`;
  return {
    text: `Sweep ${id} is queued as if launched ${when}`,
    json: { sweep: id, priorityMinutes: minutes },
    exitCode: 0,
  };
}
