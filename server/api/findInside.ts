import { realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { AppError } from "#server/domain/errors.ts";

/**
 * The real path of a file in an attempt's folder; null when there is none (yet), or something that is no file. `name` is one of ours, never a browser's.
 * A link that leads out of the folder is refused: the trainer writes there, and may be anybody's code.
 */
export async function findInside(folder: string, name: string): Promise<string | null> {
  const path = await orNull(realpath(join(folder, name)));
  if (path === null) return null;
  if (!path.startsWith((await realpath(folder)) + sep)) {
    throw new AppError("bad_input", `${name} of this attempt leads out of its folder`);
  }
  // Opening a pipe would wait for whoever writes into it.
  return (await orNull(stat(path)))?.isFile() ? path : null;
}

/** A file that does not exist is an answer; one that cannot be read is an error. */
export async function orNull<Result>(found: Promise<Result>): Promise<Result | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
