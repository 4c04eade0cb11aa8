import type { Command } from "@commander-js/extra-typings";
import { episodes, groupSize, heldOut, toSamplingSize } from "../options.ts";
import type { Performer } from "../performer.ts";

export function addDetect(program: Command, { perform }: Performer): void {
  program
    .command("detect")
    .summary("states, events and the label of the logs of runs, ours or another trainer's, as JSON")
    .description(
      "States, events and the label in hindsight of a run's log as JSON: events.jsonl, JSON lines of metrics, a log of verl or TRL. Lines that are not understood are counted on standard error too. Needs no running studio.",
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
