import type { Command } from "@commander-js/extra-typings";
import type { Performer } from "../command.ts";

export function addWatch(program: Command, { performInStudio }: Performer): void {
  program
    .command("watch")
    .description("show a sweep's progress until every run is over; with --json, print a line for each change of a run")
    .argument("<SWEEP>", "id, beginning of an id, or name")
    .action((text) =>
      performInStudio(async ({ database }, screen) => {
        const { findSweep } = await import("../client/findSweep.ts");
        const { watchToTheEnd } = await import("../client/runSweep.ts");
        const { id } = await findSweep(database, text);
        const watching = { id, json: { event: "over", sweep: id }, screen, writeEvent: screen.writeJson };
        return { ...(await watchToTheEnd(database, watching)), isLine: true };
      }),
    );
}
