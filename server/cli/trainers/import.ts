import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { AppError } from "#packages/base";
import { episodes, groupSize, heldOut, toSamplingSize, toSeed } from "../options.ts";
import { checkChosen } from "#server/domain/trainers/import/chosenNames.ts";
import type { Performer } from "../command.ts";

export function addImport(program: Command, { perform, performInStudio }: Performer): void {
  program
    .command("import")
    .summary("import finished runs of other trainers as a sweep, or a recorded study")
    .description(
      "Makes a sweep of finished runs of other trainers: logs of verl (console, JSON lines), TRL's trainer_state.json, CSV exports of W&B and MLflow, offline runs of W&B (.wandb), TensorBoard event files. Counts unreadable lines on standard error. Files written by `export` are imported as the recorded sweeps, and their proofs are checked.",
    )
    .argument("<FILE|FOLDER...>")
    .option("--name <NAME>", "name of the sweep")
    .option("--method <METHOD>", "method of runs whose file names do not contain it")
    .option("--environment <NAME>", "environment of runs whose file names do not contain it")
    .addOption(new Option("--seed <N>", "seed of runs whose file names do not contain it").argParser(toSeed))
    .option(
      "--column <NAME=METRIC...>",
      "assign a metric to a name in the files, as in success_rate=rollout/successRate; the studio remembers it",
    )
    .option(
      "--preview",
      "print the runs, files left out, and the metric assigned to each name; import nothing. Needs no running studio.",
    )
    .addOption(episodes)
    .addOption(groupSize)
    .addOption(heldOut)
    .action((files, { name, method, environment, seed, column = [], preview = false, ...sizes }, command) => {
      const readOptions = () => ({
        method,
        environment,
        seed,
        sampling: toSamplingSize(sizes),
        chosen: toChosen(column),
      });
      if (preview) {
        return perform(async (screen) => {
          const { previewRuns } = await import("./previewRuns.ts");
          return await previewRuns({ files, options: readOptions(), home: homeOf(command) }, screen);
        });
      }
      return performInStudio(async (studio) => {
        const [{ importRuns }, { isStudy }] = await Promise.all([
          import("./importRuns.ts"),
          import("#server/engine/studies/importStudy.ts"),
        ]);
        const areStudies = await Promise.all(files.map(isStudy));
        if (areStudies.every(Boolean)) {
          const { importRecorded } = await import("./importRecorded.ts");
          return await importRecorded(files, studio);
        }
        const study = files.find((_, i) => areStudies[i]);
        if (study !== undefined) {
          const message = `${study} is a recorded study, but other files are not: import studies separately`;
          throw new AppError("bad_input", message);
        }
        return await importRuns({ files, name, options: readOptions() }, studio);
      });
    });
}

function homeOf(command: CommandUnknownOpts): string | undefined {
  const { ["home"]: home } = command.optsWithGlobals();
  return typeof home === "string" ? home : undefined;
}

/** Splits `NAME=METRIC` at the last equals sign, because only the log's column name may contain one. */
function toChosen(columns: readonly string[]): Record<string, string> {
  const pairs = columns.map((text) => {
    const at = text.lastIndexOf("=");
    if (at < 1) throw new AppError("bad_input", `--column ${text}: write NAME=METRIC`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return checkChosen(Object.fromEntries(pairs));
}
