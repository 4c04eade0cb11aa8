import type { Command } from "@commander-js/extra-typings";
import { append, episodes, groupSize, heldOut, toCount, toSamplingSize } from "../options.ts";
import type { Performer } from "../performer.ts";

/** Both load ONNX Runtime and need no running studio. */
export function addPredictor(program: Command, { perform }: Performer): void {
  const predictor = program
    .command("predictor")
    .description("a small network that predicts collapses: train it, apply it to a log");
  predictor
    .command("train")
    .summary("learn the probability of a collapse from made-up runs, and from logs")
    .description(
      "Learns the probability of a collapse within 20 steps; writes model and card, and compares it with the rules on mechanisms that it never saw.",
    )
    .argument("<FOLDER>", "where model and card are written")
    .option("--runs <N>", "made-up runs of each family", toCount, 40)
    .option("--logs <FOLDER>", "learn from the event logs below it, too; may be repeated", append, [])
    .addOption(episodes)
    .addOption(groupSize)
    .addOption(heldOut)
    .action((folder, { runs, logs, ...sizes }) =>
      perform(async () => {
        const { train } = await import("../logs/predictor.ts");
        return await train({ folder, numRuns: runs, logs, size: toSamplingSize(sizes) });
      }),
    );
  predictor
    .command("apply")
    .description('probabilities beside the states of the rules, of a log as "detect" reads it')
    .argument("<FILE>")
    .requiredOption("--model <FOLDER>", "where the predictor was trained to")
    .addOption(episodes)
    .addOption(groupSize)
    .addOption(heldOut)
    .action((file, { model, ...sizes }) =>
      perform(async () => {
        const { apply } = await import("../logs/predictor.ts");
        return await apply({ file, model, size: toSamplingSize(sizes) });
      }),
    );
}
