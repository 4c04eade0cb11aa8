import { realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { AppError } from "#packages/base";

/**
 * Real path of a file in an attempt's folder; null if it does not exist or is no file. `name` is a constant of ours,
 * never from a browser. A link that leaves the folder is rejected, because the trainer, which may be foreign code,
 * writes there.
 */
export async function findInside(folder: string, name: string): Promise<string | null> {
  const path = await orNull(realpath(join(folder, name)));
  if (path === null) return null;
  if (!path.startsWith((await realpath(folder)) + sep)) {
    throw new AppError(
      "bad_input",
      `the file ${name} of this attempt is a link that leads out of the attempt's folder`,
    );
  }
  // Opening a named pipe would block until somebody writes to it.
  return (await orNull(stat(path)))?.isFile() ? path : null;
}

/** A missing file gives null; an unreadable one is an error. */
export async function orNull<Result>(found: Promise<Result>): Promise<Result | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
