import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import type { Ending } from "#server/db/trainers/tracked.ts";
import { confirm } from "../confirm.ts";
import type { Outcome, Performer } from "../command.ts";

export function addEnd(program: Command, { performInStudio }: Performer): void {
  program
    .command("end")
    .summary("end a received run whose program is gone")
    .description(
      "Ends a received run whose program can no longer report the end. The run ends at its last measurement. If the program reports an end later, that report counts.",
    )
    .argument("<RUN>")
    .option("--finished", "count the run as finished (default: failed)")
    .option("--yes", "do not ask for confirmation (never asked without a terminal)")
    .action((run, { finished = false, yes: isSure = false }) =>
      performInStudio(async ({ database, person }) => {
        const as = finished ? "finished" : "failed";
        if (!isSure && !(await confirm(`End run ${run} as ${as}?`))) {
          return { text: "Nothing was ended", json: { ended: false }, exitCode: 1 };
        }
        return end(database, run, { as, by: person === undefined ? "command line" : `${person}, command line` });
      }),
    );
}

export async function end(database: Database, run: string, order: { as: Ending; by: string }): Promise<Outcome> {
  const { endTrackedRun } = await import("#server/db/trainers/tracked.ts");
  await endTrackedRun(database, run, order);
  return { text: `Run ${run} has ended: ${order.as}`, json: { run, status: order.as }, exitCode: 0 };
}
