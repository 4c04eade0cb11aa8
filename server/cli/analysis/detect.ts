import type { Command } from "@commander-js/extra-typings";
import { episodes, groupSize, heldOut, toSamplingSize } from "../options.ts";
import type { Performer } from "../command.ts";

export function addDetect(program: Command, { perform }: Performer): void {
  program
    .command("detect")
    .summary("print the detector's states and events and the hindsight label of run logs as JSON")
    .description(
      "Prints the detector's states and events and the label in hindsight of a run's log as JSON. Reads events.jsonl, JSON lines of metrics, and logs of verl or TRL. Counts unreadable lines on standard error. Needs no running studio.",
    )
    .argument("<FILE|FOLDER>")
    .addOption(episodes)
    .addOption(groupSize)
    .addOption(heldOut)
    .action((file, sizes) =>
      perform(async () => {
        const { printDetection } = await import("./printDetection.ts");
        return await printDetection(file, toSamplingSize(sizes));
      }),
    );
}
