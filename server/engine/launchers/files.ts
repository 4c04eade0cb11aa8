import { randomUUID } from "node:crypto";
import { access, rename, rm, statfs, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Disk } from "#server/domain/fleet/nodes/machine.ts";

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

/** File option by which only the owner may read and write. */
export const ownersAlone = { mode: 0o600 } as const;

/**
 * Writes a file atomically, also for other machines of a shared file system. The draft file has a unique name,
 * because two writers may work at once. An error deletes the draft.
 */
export async function writeWhole(path: string, text: string, { mode = 0o666 }: { mode?: number } = {}): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
