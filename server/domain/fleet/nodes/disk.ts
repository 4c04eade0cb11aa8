import { formatBytes } from "#packages/base";

/** Space on the disk of a node's runs, as available to our user. */
export type Disk = { freeBytes: number; totalBytes: number };

/**
 * Hysteresis: below `low` a node gets no new runs and its runs are asked to save and exit, while there is space to do
 * so; above `high` they resume. With a single threshold a nearly full disk would stop and start them repeatedly.
 */
export function diskMarks({ totalBytes }: Pick<Disk, "totalBytes">): { low: number; high: number } {
  const low = Math.min(maxLowBytes, totalBytes / 8);
  return { low, high: 2 * low };
}

// Space for the checkpoints of a dozen small policies, and for the database to record that they wait.
const maxLowBytes = 128e6;

/** True where the disk now counts as full; `wasFull` is the previous state. */
export function isFullNow(disk: Disk, wasFull: boolean): boolean {
  const { low, high } = diskMarks(disk);
  return disk.freeBytes < (wasFull ? high : low);
}

/** "disk: 3.1 TB of 4.0 TB free", and the consequence if it is full. */
export function describeDisk(disk: Disk & { isFull: boolean }): string {
  const { freeBytes, totalBytes, isFull } = disk;
  const room = `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} free`;
  if (!isFull) return `disk: ${room}`;
  return `disk full: ${room}; runs wait, and go on from their checkpoints at ${formatBytes(diskMarks(disk).high)}`;
}
