import { type Command, Option } from "@commander-js/extra-typings";
import { AppError } from "#packages/base";
import { splits } from "#server/domain/environments/taskSeed.ts";
import { append, toSeed } from "../options.ts";
import type { Performer } from "../command.ts";
import { answerInput } from "../problem.ts";

export function addEnvironment(program: Command, { perform }: Performer): void {
  program
    .command("env")
    .summary("list the environments, or play one with actions from standard input or a file")
    .description(
      "Lists the environments. With a NAME, plays one: reads one action per line from standard input, and prints prompts on a terminal only. Needs no running studio.",
    )
    .argument("[NAME]")
    .option("--seed <N>", "number of the task, in any split (default: 0)", toSeed)
    .addOption(new Option("--split <SPLIT>", "count --seed within this split").choices(splits))
    .option(
      "--set <KNOB=VALUE>",
      "change a setting of the difficulty; may be repeated",
      (text: string, earlier: readonly string[] | undefined) => append(text, earlier ?? []),
    )
    .addOption(
      new Option(
        "--actions <FILE>",
        "read actions from a file; a line with tags is a whole response, a line in double quotes is JSON",
      ).conflicts("expert"),
    )
    .option("--expert", "let the expert play")
    .action((name, options) => {
      if (name === undefined && Object.keys(options).length > 0) {
        throw new AppError("bad_input", "env needs a NAME before its options: npx arlarena env NAME --seed N");
      }
      return perform((screen) =>
        answerInput(async () => {
          // The environments are imported here, because only this command needs them.
          const { findEnvironment, listEnvironments } = await import("./environments.ts");
          if (name === undefined) return listEnvironments(screen);
          const id = findEnvironment(name);
          const { seed = 0, split, set = [], actions = "-", expert = false } = options;
          const { playEnvironment } = await import("./play.ts");
          return await playEnvironment(
            id,
            { seed, split, knobs: set, actions: expert ? "expert" : { file: actions } },
            screen,
          );
        }),
      );
    });
}
