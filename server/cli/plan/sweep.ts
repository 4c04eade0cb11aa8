import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Performer } from "../performer.ts";
import { toWhole } from "../options.ts";

export function addSweep(program: Command, performer: Performer): void {
  const sweep = program
    .command("sweep")
    .description("create the sweep that a file plans; --watch shows its progress to the end");
  addSweepRun(sweep, performer);
  addSweepPreview(sweep, performer);
}

function addSweepPreview(sweep: CommandUnknownOpts, { perform }: Performer): void {
  sweep
    .command("preview")
    .description("the command that every cell's trainer would get, with notes and refusals; launches nothing")
    .argument("<FILE.yaml>", "- reads standard input")
    .option("--cell <N>", "one cell alone, by its number from 0", (text: string) => toWhole(text, 0, 99_999))
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
    .description("create the sweep that a file plans")
    .argument("<FILE.yaml>", "- reads standard input")
    .option("--watch", "show progress until every run is over")
    .option("--name <NAME>", "instead of the file's")
    .action((file, options) =>
      performInStudio(async (studio, screen) => {
        const { runSweep } = await import("../client/runSweep.ts");
        return await runSweep({ file, ...options }, studio, screen);
      }),
    );
}
