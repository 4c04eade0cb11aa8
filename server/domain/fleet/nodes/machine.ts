import { z } from "zod";
import { formatBytes } from "#packages/base";
import type { Gpu } from "#trainer/spec/gpus.ts";
import type { Machine } from "#trainer/spec/machine.ts";

/** GPUs of a compute node: `machines` as reported once by trainers, `gpus` as polled where slots are GPUs. */
export type GpuNode = { node: { name: string }; machines: readonly Machine[]; gpus: readonly Gpu[] | null };

export type LargestGpu = { node: string; name: string; memoryMb: number };

export function findLargestGpu(nodes: readonly GpuNode[]): LargestGpu | undefined {
  const all = nodes.flatMap(({ node, machines, gpus }) =>
    [...(gpus ?? []), ...machines.flatMap((machine) => machine.gpus)].flatMap(({ name, memoryTotalMb }) =>
      memoryTotalMb === null ? [] : [{ node: node.name, name, memoryMb: Math.floor(memoryTotalMb * mebibyte) }],
    ),
  );
  return all.toSorted((a, b) => b.memoryMb - a.memoryMb)[0];
}

/** Factor from the drivers' memory figures to MB: drivers report mebibytes under the name MB. */
const mebibyte = 1.048576;

/** Memory need of a run with a pretrained model: minimum and limit in MB, and its execution provider. */
export type GpuNeed = { name: string; provider: string; neededMb: number; memoryLimitMb: number };

/** Returns a warning if a run may need more memory than any known GPU has; undefined if it fits or no GPU is known. */
export function noteGpuMemory(need: GpuNeed, largest: LargestGpu | undefined): string | undefined {
  const { name, provider, neededMb, memoryLimitMb } = need;
  if (provider === "cpu" || largest === undefined) return undefined;
  const megabytes = (count: number): string => `${Math.round(count).toLocaleString("en-US")} MB`;
  const gpu = `the largest known GPU, ${largest.name} on ${largest.node}, has ${megabytes(largest.memoryMb)}`;
  if (neededMb > largest.memoryMb) {
    return `${name} needs ${megabytes(neededMb)} on ${provider}, but ${gpu}: a run would fail there.`;
  }
  if (memoryLimitMb <= largest.memoryMb) return undefined;
  return `${name} on ${provider} may use up to its memory limit of ${megabytes(memoryLimitMb)}, but ${gpu}: lower the memory limit.`;
}

export const Processor = z.object({
  numCores: z.int(),
  /** Load average over a minute; null if the system has none. */
  load: z.number().nullable(),
  memoryUsedBytes: z.number(),
  memoryTotalBytes: z.number(),
});
export type Processor = z.infer<typeof Processor>;

/** Describes the load, for example "load 3.2 on 16 cores · memory: 12 GB of 25 GB in use". */
export function describeProcessor({ numCores, load, memoryUsedBytes, memoryTotalBytes }: Processor): string {
  const cores = numCores === 1 ? "1 core" : `${numCores} cores`;
  const memory = `memory: ${formatBytes(memoryUsedBytes)} of ${formatBytes(memoryTotalBytes)} in use`;
  const isOverloaded = load !== null && load > 2 * numCores;
  const used = load === null ? cores : `load ${load.toFixed(1)} on ${cores}${isOverloaded ? " (overloaded)" : ""}`;
  return `${used} · ${memory}`;
}

/** Returns the memory of the largest eligible node, if a run requires more than it and no node's memory is unknown. */
export function findTooLittleMemory(
  nodes: readonly { processor: Processor | null }[],
  askedMb: number,
): { largestMb: number } | undefined {
  if (nodes.length === 0 || nodes.some(({ processor }) => processor === null)) return undefined;
  const largestMb = Math.max(...nodes.map(({ processor }) => (processor?.memoryTotalBytes ?? 0) / 1e6));
  return askedMb > largestMb ? { largestMb } : undefined;
}

/** Disk space available to the studio's user account on the disk that stores a node's runs. */
export type Disk = { freeBytes: number; totalBytes: number };

/**
 * Returns two thresholds of free disk space (hysteresis). Below `low` a node gets no new runs, and its runs are asked
 * to save and exit while there is still space. Above `high` they resume.
 */
export function diskMarks({ totalBytes }: Pick<Disk, "totalBytes">): { low: number; high: number } {
  const low = Math.min(maxLowBytes, totalBytes / 8);
  return { low, high: 2 * low };
}

// Maximum lower threshold: space for checkpoints of a dozen small policies, and for records of waiting runs.
const maxLowBytes = 128e6;

export function isFullNow(disk: Disk, wasFull: boolean): boolean {
  const { low, high } = diskMarks(disk);
  return disk.freeBytes < (wasFull ? high : low);
}

/** Describes the disk, for example "disk: 3.1 TB of 4.0 TB free", and the consequence if it is full. */
export function describeDisk(disk: Disk & { isFull: boolean }): string {
  const { freeBytes, totalBytes, isFull } = disk;
  const room = `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} free`;
  if (!isFull) return `disk: ${room}`;
  return `disk full: ${room}; runs wait and resume from their checkpoints once ${formatBytes(diskMarks(disk).high)} are free`;
}
