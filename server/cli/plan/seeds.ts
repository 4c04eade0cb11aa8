import { type Command, Option } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import { formatCount } from "#packages/base";
import { findSweep } from "../client/findSweep.ts";
import { toCount } from "../options.ts";
import type { Outcome, Performer } from "../command.ts";

export function addSeeds(program: Command, { performInStudio }: Performer): void {
  program
    .command("seeds")
    .description("launch the missing runs, so that every configuration has every seed")
    .argument("<SWEEP>")
    .addOption(new Option("--add <N>", "also add N new seeds").argParser(toCount).conflicts("undo"))
    .option("--undo", "instead, cancel added runs that have not ended; they no longer count in results")
    .action((sweep, { add = 0, undo = false }) =>
      performInStudio(({ database }) => (undo ? takeBack(database, sweep) : fillGrid(database, sweep, add))),
    );
}

async function fillGrid(database: Database, sweep: string, numNew: number): Promise<Outcome> {
  const { addSeeds } = await import("#server/db/plan/addSeeds.ts");
  const { id } = await findSweep(database, sweep);
  const numRuns = await addSeeds(database, id, numNew);
  return { text: `${formatCount(numRuns, "run")} added to sweep ${id}`, json: { sweep: id, numRuns }, exitCode: 0 };
}

async function takeBack(database: Database, sweep: string): Promise<Outcome> {
  const { takeBackSeeds } = await import("#server/db/plan/addSeeds.ts");
  const { id } = await findSweep(database, sweep);
  const numRuns = await takeBackSeeds(database, id);
  const runs = formatCount(numRuns, "added run is", "added runs are");
  return {
    text: `${runs} being cancelled; sweep ${id} then has only its planned runs`,
    json: { sweep: id, numRuns },
    exitCode: 0,
  };
}
