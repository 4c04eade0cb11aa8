import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import { countOver } from "#server/domain/runs/progress.ts";
import { toWhole } from "../options.ts";
import type { Outcome, Performer, Screen } from "../command.ts";
import { toColumns } from "../views/columns.ts";
import { sweepState } from "../views/states.ts";

export function addSweeps(program: Command, { performInStudio }: Performer): void {
  program
    .command("sweeps")
    .description("list all sweeps")
    .action(() => performInStudio(({ database }, screen) => listSweeps(database, screen)));
}

const columns = ["SWEEP", "NAME", "STATE", { number: "OVER" }, { number: "FAILED" }, "CREATED"];

export async function listSweeps(database: Database, screen: Screen): Promise<Outcome> {
  const storage = await import("#server/db/plan/sweeps.ts");
  const sweeps = await storage.listSweeps(database);
  const rows = sweeps.map((sweep) => {
    const { failed } = sweep.counts;
    return [
      sweep.id,
      sweep.name,
      sweepState(sweep),
      `${countOver(sweep.counts)}/${sweep.numRuns}`,
      failed > 0 ? { text: String(failed), style: "red" as const } : "0",
      `${sweep.createdAt.toISOString().slice(0, 16).replace("T", " ")} UTC`,
    ];
  });
  const text =
    rows.length > 0 ? toColumns(columns, rows, screen) : "No sweeps yet. Launch one: npx arlarena sweep run FILE.yaml";
  return { text, json: { sweeps }, exitCode: 0 };
}

export function addSweep(program: Command, performer: Performer): void {
  const sweep = program
    .command("sweep")
    .description("create a sweep from a file; --watch shows its progress to the end");
  addSweepRun(sweep, performer);
  addSweepPreview(sweep, performer);
}

function addSweepPreview(sweep: CommandUnknownOpts, { perform }: Performer): void {
  sweep
    .command("preview")
    .description("print the trainer's command for every cell, with notes and refusals, and launch nothing")
    .argument("<FILE.yaml>", "- reads standard input")
    .option("--cell <N>", "print only this cell, numbered from 0", (text: string) => toWhole(text, 0, 99_999))
    .action((file, { cell }, command) =>
      perform(async () => {
        const { previewSweep } = await import("../client/previewSweep.ts");
        const { ["home"]: home } = command.optsWithGlobals();
        return await previewSweep({ file, cell }, typeof home === "string" ? home : undefined);
      }),
    );
}

function addSweepRun(sweep: CommandUnknownOpts, { performInStudio }: Performer): void {
  sweep
    .command("run")
    .description("create and launch a sweep from a file")
    .argument("<FILE.yaml>", "- reads standard input")
    .option("--watch", "show progress until every run is over")
    .option("--name <NAME>", "name of the sweep, instead of the file's")
    .action((file, options) =>
      performInStudio(async (studio, screen) => {
        const { runSweep } = await import("../client/runSweep.ts");
        return await runSweep({ file, ...options }, studio, screen);
      }),
    );
}
