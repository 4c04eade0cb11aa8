import { realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { AppError } from "#packages/base";
import { ignoreMissing } from "#server/config/fileErrors.ts";

/** Returns a regular file's real path, or null. A link out of the folder is rejected: foreign code may write there. */
export async function findInside(folder: string, name: string): Promise<string | null> {
  const path = await realpath(join(folder, name)).catch(ignoreMissing);
  if (path === undefined) return null;
  if (!path.startsWith((await realpath(folder)) + sep)) {
    throw new AppError(
      "bad_input",
      `the file ${name} of this attempt is a link that leads out of the attempt's folder`,
    );
  }
  // A named pipe is excluded, because opening it would block until a process writes to it.
  return (await stat(path).catch(ignoreMissing))?.isFile() ? path : null;
}
