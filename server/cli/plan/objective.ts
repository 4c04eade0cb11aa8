import type { Command } from "@commander-js/extra-typings";
import type { Performer } from "../command.ts";

export function addObjective(program: Command, { perform }: Performer): void {
  program
    .command("objective")
    .description("print loss, gradient and diagnostics of one batch as JSON, computed by the training graph")
    .argument("<FILE.json>", "batch in the format of docs/objective.md; - reads standard input")
    .action((file) =>
      perform(async () => {
        const { evaluateBatch } = await import("./objective/evaluateBatch.ts");
        return await evaluateBatch(file);
      }),
    );
}
