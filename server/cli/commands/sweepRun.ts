import type { Command } from "@commander-js/extra-typings";
import type { Performer } from "../performer.ts";

export function addSweepRun(program: Command, { performInStudio }: Performer): void {
  program
    .command("sweep")
    .description("create the sweep that a file plans; --watch shows its progress to the end")
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
