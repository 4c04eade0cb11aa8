import { type Command, Option } from "@commander-js/extra-typings";
import { AppError } from "#packages/base";
import { episodes, groupSize, heldOut, toSamplingSize, toSeed } from "../options.ts";
import { checkChosen } from "#server/domain/trainers/import/chosenNames.ts";
import type { Performer } from "../performer.ts";

export function addImport(program: Command, { performInStudio }: Performer): void {
  program
    .command("import")
    .summary("finished runs of other trainers as a sweep, or a recorded study")
    .description(
      "Makes a sweep of finished runs of other trainers: logs of verl (console, JSON lines), TRL's trainer_state.json, CSV exports of W&B and MLflow, offline runs of W&B (.wandb), TensorBoard event files. What is not understood is counted on standard error. Files that `export` wrote come back as the sweeps that they recorded, their proofs checked.",
    )
    .argument("<FILE|FOLDER...>")
    .option("--name <NAME>", "of the sweep")
    .option("--method <METHOD>", "where the files' names do not tell it")
    .option("--environment <NAME>", "where the files' names do not tell it")
    .addOption(new Option("--seed <N>", "where the files' names do not tell it").argParser(toSeed))
    .option("--column <NAME=METRIC...>", "what a name of the files is: success_rate=rollout/successRate; remembered")
    .option("--preview", "say what each name becomes, and import nothing")
    .addOption(episodes)
    .addOption(groupSize)
    .addOption(heldOut)
    .action((files, { name, method, environment, seed, column = [], preview = false, ...sizes }) =>
      performInStudio(async (studio) => {
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
          const message = `${study} is a recorded study and others are not: studies are imported by themselves`;
          throw new AppError("bad_input", message);
        }
        const options = { method, environment, seed, sampling: toSamplingSize(sizes), chosen: toChosen(column) };
        return await importRuns({ files, name, options, isPreview: preview }, studio);
      }),
    );
}

/** Parses `NAME=METRIC`, split at the last equals sign, since only the name may contain one. */
function toChosen(columns: readonly string[]): Record<string, string> {
  const pairs = columns.map((text) => {
    const at = text.lastIndexOf("=");
    if (at < 1) throw new AppError("bad_input", `--column ${text}: NAME=METRIC is needed`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return checkChosen(Object.fromEntries(pairs));
}
