import { open, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Disk, diskMarks, isFullNow } from "#server/domain/fleet/nodes/machine.ts";

/** Disk space reserved for the database, released while the disk is full. */
export type Reserve = {
  /** Checks the disk; true while it is full. */
  look(disk: Disk): Promise<boolean>;
};

const maxBytes = 64e6;
/** Maximum growth between two checks by logs and checkpoints; a program that fills the disk exceeds it. */
const calmBytes = 4e6;

/** A file beside a database's data. Without it, a completely full disk would leave no space to store that runs wait. */
export function makeReserve(dataFolder: string): Reserve {
  const path = join(dirname(dataFolder), "reserve");
  let isFull = false;
  let freeBefore = Infinity;
  return {
    async look(disk) {
      isFull = isFullNow(disk, isFull);
      // A program that is still filling the disk would use up the reserve too, so it is released only once free space
      // is stable.
      const isCalm = freeBefore - disk.freeBytes < calmBytes;
      freeBefore = disk.freeBytes;
      const wanted = Math.round(Math.min(maxBytes, disk.totalBytes / 16));
      const size = (await stat(path).catch(() => undefined))?.size ?? 0;
      if (isFull && isCalm) await rm(path, { force: true });
      if (isFull) return true;
      // The reserve must not itself make the disk count as full.
      if (size !== wanted && disk.freeBytes + size - wanted > diskMarks(disk).high) await fill(path, wanted);
      return false;
    },
  };
}

/** Writes real bytes: a sparse file would reserve no space. If it does not fit, it is deleted. */
async function fill(path: string, numBytes: number): Promise<void> {
  try {
    const file = await open(path, "w", 0o600);
    try {
      const chunk = Buffer.alloc(1 << 20);
      for (let at = 0; at < numBytes; at += chunk.length)
        await file.write(chunk, 0, Math.min(chunk.length, numBytes - at));
    } finally {
      await file.close();
    }
  } catch {
    await rm(path, { force: true });
  }
}
