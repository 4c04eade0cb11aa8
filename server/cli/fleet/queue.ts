import { type Command, Option } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import { formatCount } from "#packages/base";
import { formatPriority } from "#server/domain/fleet/queue/formatPriority.ts";
import { findSweep } from "../client/findSweep.ts";
import { toMinutes } from "../options.ts";
import type { Outcome, Performer, Screen } from "../command.ts";
import { toColumns } from "../views/columns.ts";

export function addQueue(program: Command, { performInStudio }: Performer): void {
  program
    .command("queue")
    .description("list the sweeps with runs that wait or train, in queue order")
    .action(() => performInStudio(({ database }, screen) => listQueue(database, screen)));
}

export async function listQueue(database: Database, screen: Screen): Promise<Outcome> {
  const { readQueue } = await import("#server/db/fleet/queue.ts");
  const sweeps = await readQueue(database);
  const rows = sweeps.map(({ sweepId, sweepName, numLive, numPending, priorityMinutes, intent, problem }) => [
    sweepId,
    sweepName,
    String(numLive),
    String(numPending),
    formatPriority(priorityMinutes),
    problem === null || numPending === 0 ? intent : { text: problem, style: "red" as const },
  ]);
  const columns = ["SWEEP", "NAME", { number: "RUNNING" }, { number: "WAITING" }, "PRIORITY", "STATE"];
  return {
    text: rows.length > 0 ? toColumns(columns, rows, screen) : "The queue is empty",
    json: { sweeps },
    exitCode: 0,
  };
}

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
  const { setPriority } = await import("#server/db/fleet/queue.ts");
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
