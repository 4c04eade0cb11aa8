import { open, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Disk } from "#server/domain/nodes/disk.ts";
import { diskMarks, isFullNow } from "#server/domain/nodes/disk.ts";

/** Room set aside for the database, given up while its disk is full. */
export type Reserve = {
  /** A look at the disk; true while it is full. */
  look(disk: Disk): Promise<boolean>;
};

const mostBytes = 64e6;
/** What logs and checkpoints take between two looks, and a program that fills a disk does not. */
const calmBytes = 4e6;

/**
 * A file beside the data of a database. Without it, a disk that somebody fills to the last byte would leave no room to
 * store even that runs wait for room.
 */
export function makeReserve(dataFolder: string): Reserve {
  const path = join(dirname(dataFolder), "reserve");
  let isFull = false;
  let freeBefore = Infinity;
  return {
    async look(disk) {
      isFull = isFullNow(disk, isFull);
      // A program that is still filling the disk would take the reserve too: it is released once free space stays level.
      const isCalm = freeBefore - disk.freeBytes < calmBytes;
      freeBefore = disk.freeBytes;
      const wanted = Math.round(Math.min(mostBytes, disk.totalBytes / 16));
      const size = (await stat(path).catch(() => undefined))?.size ?? 0;
      if (isFull && isCalm) await rm(path, { force: true });
      if (isFull) return true;
      // What fits without making the disk count as full by itself.
      if (size !== wanted && disk.freeBytes + size - wanted > diskMarks(disk).high) await fill(path, wanted);
      return false;
    },
  };
}

/** With bytes: a file of holes takes no room, and so keeps none. One that does not fit after all is gone again. */
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
