import { access, readFile, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Disk } from "#server/domain/fleet/nodes/machine.ts";
import { ignoreMissing } from "#server/config/fileErrors.ts";

export async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

/** Returns the free space of the disk that contains a folder, or will contain it. Undefined if unknown. */
export async function readDisk(folder: string): Promise<Disk | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    const parent = dirname(folder);
    return parent === folder ? undefined : await readDisk(parent);
  }
}

/** Reads the exit code in a job's folder; undefined if there is none yet. */
export async function readExitCode(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, "exit"), "utf8").catch(ignoreMissing);
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

export const ownersAlone = { mode: 0o600 } as const;
