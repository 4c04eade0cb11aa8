import type { Command } from "@commander-js/extra-typings";
import type { Performer } from "../performer.ts";

export function addObjective(program: Command, { perform }: Performer): void {
  program
    .command("objective")
    .description("loss, gradient and diagnostics of one batch as JSON, by the graph that trains")
    .argument("<FILE.json>", "docs/objective.md has the format; - reads standard input")
    .action((file) =>
      perform(async () => {
        const { evaluateBatch } = await import("./objective/evaluateBatch.ts");
        return await evaluateBatch(file);
      }),
    );
}
