import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

export type Earlier = {
  /** Folder of an earlier attempt, either on this machine or from the job's package. */
  path: string;
  /** Folder that receives links to the usable checkpoints. */
  into: string;
  /** Last iteration whose measurements have reached the studio. */
  known: number;
};

/** Links an earlier attempt's checkpoints up to iteration `known`, and returns `into`; undefined without any. */
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
