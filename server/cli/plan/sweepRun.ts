import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Performer } from "../performer.ts";

export function addSweepRun(sweep: CommandUnknownOpts, { performInStudio }: Performer): void {
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
