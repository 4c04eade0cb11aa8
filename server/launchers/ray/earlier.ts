import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

export type Earlier = {
  /** The folder of an earlier attempt, on this machine or as it was brought. */
  path: string;
  /** Where a folder that can be gone on from is put together. */
  into: string;
  /** The last iteration whose measurements the studio has. */
  known: number;
};

/**
 * A folder with those checkpoints of an earlier attempt that are no later than what the studio knows of it. Its trainer may
 * have gone on after the log could not be read any more: what it measured then is lost, and is measured again.
 */
export function onlyKnown({ path, into, known }: Earlier): string | undefined {
  const from = join(path, "checkpoints");
  const names = existsSync(from) ? readdirSync(from) : [];
  const usable = names.filter((name) => {
    const iteration = /^iteration-(\d+)\.safetensors$/.exec(name)?.[1];
    return iteration !== undefined && Number(iteration) <= known;
  });
  if (usable.length === 0) return undefined;
  const to = join(into, "checkpoints");
  mkdirSync(to, { recursive: true });
  for (const name of [...usable, "reference.safetensors"]) {
    if (names.includes(name)) symlinkSync(join(from, name), join(to, name));
  }
  return into;
}
