import { join } from "node:path";
import { AppError } from "#packages/base";
import { TrainersFile, type TrainerTemplate } from "#packages/trainers";
import { readYamlFile } from "./yamlFile.ts";

/**
 * External trainers of the file in `ARLARENA_TRAINERS`, else of `trainers.yaml` in the state folder; none without a
 * file. Write access to that file decides which programs may be started.
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
