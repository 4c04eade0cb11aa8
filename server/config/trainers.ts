import { join } from "node:path";
import { AppError } from "#server/domain/errors.ts";
import { TrainersFile, type TrainerTemplate } from "#server/domain/external/templates/template.ts";
import { readYamlFile } from "./yamlFile.ts";

/**
 * The external trainers of the file that `ARLARENA_TRAINERS` names, else of `trainers.yaml` in the state folder; none
 * without a file. Only who can write the file decides what programs may be started.
 */
export function readTrainers(
  home: string,
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, TrainerTemplate>> {
  const named = environment["ARLARENA_TRAINERS"] || undefined;
  const file = readYamlFile(named ?? join(home, "trainers.yaml"), TrainersFile);
  if (file) return file.trainers;
  if (named !== undefined) throw new AppError("bad_input", `ARLARENA_TRAINERS names ${named}, which does not exist`);
  return {};
}
