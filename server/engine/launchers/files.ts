import { randomUUID } from "node:crypto";
import { access, rename, rm, statfs, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Disk } from "#server/domain/fleet/nodes/machine.ts";

/** True if a file or folder exists at a path. */
export async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

/** Free space on the disk of a folder, which may not exist yet; undefined if unknown. */
export async function readDisk(folder: string): Promise<Disk | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    const parent = dirname(folder);
    return parent === folder ? undefined : await readDisk(parent);
  }
}

/** File mode: only the owner may read and write. */
export const ownersAlone = { mode: 0o600 } as const;

/**
 * Writes a file atomically, also for other machines of a shared file system. The draft has a unique name, since two
 * writers may collide; a draft truncated by a full disk is deleted.
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
