import { chown, cp, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { formatBytes } from "#packages/base";
import { chooseAccount } from "./account.ts";

/**
 * Copies the data folder of a stopped PostgreSQL; returns the copy's path beside it. To restore, rename it to the data
 * folder's name. Written under a temporary name first, so that an existing copy is complete.
 */
export async function copyData(dataFolder: string, now: Date): Promise<string> {
  const copy = `${dataFolder}.before-repair-${now.toISOString().replaceAll(/\D/g, "").slice(0, 14)}`;
  const partial = `${dataFolder}.copying`;
  await rm(partial, { recursive: true, force: true });
  await checkRoomFor(dataFolder);
  await cp(dataFolder, partial, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const { uid, gid } = chooseAccount().ids;
  if (uid !== undefined && gid !== undefined) {
    for (const path of ["", ...(await readdir(partial, { recursive: true }))])
      await chown(join(partial, path), uid, gid);
  }
  await rename(partial, copy);
  return copy;
}

async function checkRoomFor(dataFolder: string): Promise<void> {
  let numBytes = 0;
  for (const path of await readdir(dataFolder, { recursive: true }))
    numBytes += (await stat(join(dataFolder, path))).size;
  const { bavail, bsize } = await statfs(dataFolder);
  if (numBytes < bavail * bsize) return;
  throw new Error(
    `a copy of ${dataFolder} is made before it is repaired: it needs ${formatBytes(numBytes)}, and ${formatBytes(bavail * bsize)} are free; make room on that disk`,
  );
}
