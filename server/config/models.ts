import { delimiter, isAbsolute, join } from "node:path";
import { z } from "zod";
import { AppError } from "#packages/base";
import { isInside } from "./isInside.ts";
import { readYamlFile } from "./yamlFile.ts";

const ModelsFile = z.strictObject({
  folders: z.array(z.string().max(1000).refine(isAbsolute, "is not an absolute path such as /data/models")).max(100),
});

/** Reads the model folders that a sweep may name, from `ARLARENA_MODEL_FOLDERS` (separated by ":") or `models.yaml`. */
export function readModelFolders(home: string, environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  const path = join(home, "models.yaml");
  const named = environment["ARLARENA_MODEL_FOLDERS"]?.split(delimiter).filter(Boolean) ?? [];
  const folders = named.length > 0 ? parseNamed(named) : (readYamlFile(path, ModelsFile)?.folders ?? []);
  // A folder around the state folder is refused: with it, users could choose which of the studio's files are read.
  const around = folders.find((folder) => isInside(home, folder));
  if (around === undefined) return folders;
  const source = named.length > 0 ? "ARLARENA_MODEL_FOLDERS" : path;
  throw new AppError(
    "bad_input",
    `${source}: ${around} contains the state folder ${home}, to which runs write: name only folders of models`,
  );
}

function parseNamed(folders: readonly string[]): readonly string[] {
  const parsed = ModelsFile.safeParse({ folders });
  if (parsed.success) return parsed.data.folders;
  throw new AppError(
    "bad_input",
    `ARLARENA_MODEL_FOLDERS: ${parsed.error.issues.map(({ message }) => message).join("; ")}`,
  );
}
