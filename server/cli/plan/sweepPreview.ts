import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { toWhole } from "../options.ts";
import type { Performer } from "../performer.ts";

export function addSweepPreview(sweep: CommandUnknownOpts, { perform }: Performer): void {
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
