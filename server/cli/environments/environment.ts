import { type Command, Option } from "@commander-js/extra-typings";
import { AppError } from "#packages/base";
import { splits } from "#server/domain/environments/taskSeed.ts";
import { append, toSeed } from "../options.ts";
import type { Performer } from "../performer.ts";
import { answerInput } from "../problem.ts";

export function addEnvironment(program: Command, { perform }: Performer): void {
  program
    .command("env")
    .summary("list the environments, or play one; actions are lines of standard input or a file")
    .description(
      "Lists the environments; with a NAME, plays one: an action a line on standard input, prompts on a terminal only. Needs no running studio.",
    )
    .argument("[NAME]")
    .addOption(new Option("--seed <N>", "the task, of any split (default: 0)").argParser(toSeed).conflicts("replay"))
    .addOption(new Option("--split <SPLIT>", "then --seed counts within the split").choices(splits).conflicts("replay"))
    .addOption(
      new Option("--set <KNOB=VALUE>", "another difficulty; may be repeated")
        .argParser((text: string, earlier: readonly string[] | undefined) => append(text, earlier ?? []))
        .conflicts("replay"),
    )
    .addOption(
      new Option(
        "--actions <FILE>",
        "actions from a file; a line with tags is a whole response, one in double quotes JSON",
      ).conflicts(["expert", "replay"]),
    )
    .addOption(new Option("--expert", "the expert plays").conflicts("replay"))
    .option("--replay <FILE.jsonl...>", "instead: compare recordings of the original with ours, check by check")
    .action((name, options) => {
      if (name === undefined && Object.keys(options).length > 0) {
        throw new AppError("bad_input", "env needs a NAME before its options: npx arlarena env NAME --seed N");
      }
      return perform((screen) =>
        answerInput(async () => {
          // The environments are loaded here, because only this command needs them.
          const { findEnvironment, listEnvironments } = await import("./environments.ts");
          if (name === undefined) return listEnvironments(screen);
          const id = findEnvironment(name);
          const { replay, seed = 0, split, set = [], actions = "-", expert = false } = options;
          if (replay) {
            const { replayRecordings } = await import("./replay.ts");
            return await replayRecordings(id, replay);
          }
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
