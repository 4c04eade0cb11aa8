import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Disk } from "#server/domain/nodes/disk.ts";

/** The disk that a folder lies on, or will; undefined where that cannot be told. */
export async function readDisk(folder: string): Promise<Disk | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    const parent = dirname(folder);
    return parent === folder ? undefined : await readDisk(parent);
  }
}
