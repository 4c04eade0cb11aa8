import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ExternalJob, parseJson, readArguments } from "#packages/trainers";

export type Checkpoint = { step: number; folder: string; job: ExternalJob };

/** Lists the checkpoints on this machine in the folders of a run's attempts, newest attempt first. */
export async function listCheckpoints(attempts: readonly string[]): Promise<Checkpoint[]> {
  const found: Checkpoint[] = [];
  for (const attempt of attempts.toReversed()) {
    const text = await readFile(join(attempt, "external.json"), "utf8").catch(() => "");
    const job = ExternalJob.safeParse(parseJson(text)).data;
    if (!job) continue;
    const folder = checkpointsFolder(job);
    if (folder === undefined) continue;
    for (const name of await readdir(folder).catch(() => [])) {
      const [, trl, verl] = /^(?:checkpoint-(\d+)|global_step_(\d+))$/.exec(name) ?? [];
      const step = Number(trl ?? verl ?? NaN);
      // Only a folder with this file is a checkpoint: verl leaves an empty folder behind when it deletes one.
      const proof = join(folder, name, trl === undefined ? "actor" : "trainer_state.json");
      if (step > 0 && existsSync(proof)) found.push({ step, folder: join(folder, name), job });
    }
  }
  return found;
}

/** Returns the folder of a command's checkpoints; undefined for trainers whose folder layout is unknown. */
function checkpointsFolder({ argv, folder }: ExternalJob): string | undefined {
  const path = readOverride(argv, "trainer.default_local_dir") ?? readArguments(argv).get("output_dir");
  return path === undefined ? undefined : resolve(folder, path);
}

/** Returns the value of a Hydra override in a command; the last one applies. */
export function readOverride(argv: readonly string[], key: string): string | undefined {
  const setting = argv.findLast((one) => one.replace(/^\++/, "").startsWith(`${key}=`));
  return setting?.slice(setting.indexOf("=") + 1);
}

/** Returns the last step that verl saved, 0 before the first; undefined for the commands of other trainers. */
export async function readVerlStep({ argv, folder }: Pick<ExternalJob, "argv" | "folder">) {
  const local = readOverride(argv, "trainer.default_local_dir");
  if (local === undefined) return undefined;
  const path = resolve(folder, local, "latest_checkpointed_iteration.txt");
  return Number.parseInt(await readFile(path, "utf8").catch(() => ""), 10) || 0;
}
