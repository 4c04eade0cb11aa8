import { formatBytes } from "#server/domain/formatBytes.ts";

/** Room on the disk where a node keeps its runs, as far as our user may use it. */
export type Disk = { freeBytes: number; totalBytes: number };

/**
 * Below `low` a node gets nothing new and its runs are asked to save and leave, while there is room to save in; above
 * `high` they go on. Two marks, so that a disk at the edge does not stop and start them in turn.
 */
export function diskMarks({ totalBytes }: Pick<Disk, "totalBytes">): { low: number; high: number } {
  const low = Math.min(mostLowBytes, totalBytes / 8);
  return { low, high: 2 * low };
}

// Room for the checkpoints of a dozen small policies and for the database to note that they wait.
const mostLowBytes = 128e6;

/** Whether the disk counts as full now; `wasFull` is what it counted as at the look before. */
export function isFullNow(disk: Disk, wasFull: boolean): boolean {
  const { low, high } = diskMarks(disk);
  return disk.freeBytes < (wasFull ? high : low);
}

/** "disk: 3.1 TB of 4.0 TB free", and of a full one what follows from it. */
export function describeDisk(disk: Disk & { isFull: boolean }): string {
  const { freeBytes, totalBytes, isFull } = disk;
  const room = `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} free`;
  if (!isFull) return `disk: ${room}`;
  return `disk full: ${room}; runs wait, and go on from their checkpoints at ${formatBytes(diskMarks(disk).high)}`;
}
