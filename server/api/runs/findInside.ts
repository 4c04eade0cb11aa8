import { realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { AppError } from "#packages/base";

/** Returns a regular file's real path, or null. A link out of the folder is rejected: foreign code may write there. */
export async function findInside(folder: string, name: string): Promise<string | null> {
  const path = await orNull(realpath(join(folder, name)));
  if (path === null) return null;
  if (!path.startsWith((await realpath(folder)) + sep)) {
    throw new AppError(
      "bad_input",
      `the file ${name} of this attempt is a link that leads out of the attempt's folder`,
    );
  }
  // A named pipe is excluded, because opening it would block until a process writes to it.
  return (await orNull(stat(path)))?.isFile() ? path : null;
}

/** Awaits a file operation; returns null if the file is missing, but throws if it is unreadable. */
export async function orNull<Result>(found: Promise<Result>): Promise<Result | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
