import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Disk } from "#server/domain/fleet/nodes/disk.ts";

/** Disk of a folder that may not exist yet; undefined if unknown. */
export async function readDisk(folder: string): Promise<Disk | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    const parent = dirname(folder);
    return parent === folder ? undefined : await readDisk(parent);
  }
}
