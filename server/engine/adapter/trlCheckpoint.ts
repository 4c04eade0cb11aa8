import { readdir, readFile } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { z } from "zod";
import { parseJson, readArguments } from "#packages/trainers";

const State = z.object({ global_step: z.int().min(1), epoch: z.number().nullish() });

export type TrlCheckpoint = { step: number; epoch: number | undefined };

type Attempt = {
  argv: readonly string[];
  cwd: string;
  /** `folder`: folder of this attempt. `resumeFrom`: folder of the run's previous attempt, if there was one. */
  folder: string;
  resumeFrom: string | undefined;
};

/**
 * Finds the Transformers checkpoint to resume from: the one that the command names, or the newest in the command's
 * output folder. If the output folder lies in the attempt's folder, the previous attempt's folder is searched instead.
 */
export async function findTrlCheckpoint(attempt: Attempt): Promise<TrlCheckpoint | undefined> {
  const { argv, cwd, folder, resumeFrom } = attempt;
  const options = readArguments(argv);
  const named = options.get("resume_from_checkpoint");
  const given = named === undefined ? undefined : await readCheckpoint(resolve(cwd, named));
  const output = options.get("output_dir");
  if (given || output === undefined || resumeFrom === undefined) return given;
  const inside = relative(folder, resolve(cwd, output));
  const isShared = inside.startsWith("..") || isAbsolute(inside);
  return await findNewest(isShared ? resolve(cwd, output) : join(resumeFrom, inside));
}

export async function findNewest(folder: string): Promise<TrlCheckpoint | undefined> {
  const names = await readdir(folder).catch(() => []);
  const steps = names.flatMap((name) => /^checkpoint-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  for (const step of steps.sort((a, b) => b - a)) {
    const found = await readCheckpoint(join(folder, `checkpoint-${step}`));
    if (found) return found;
  }
  return undefined;
}

async function readCheckpoint(folder: string): Promise<TrlCheckpoint | undefined> {
  const text = await readFile(join(folder, "trainer_state.json"), "utf8").catch(() => undefined);
  const state = State.safeParse(text === undefined ? undefined : parseJson(text));
  return state.success ? { step: state.data.global_step, epoch: state.data.epoch ?? undefined } : undefined;
}
