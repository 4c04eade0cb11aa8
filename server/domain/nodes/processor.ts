import { z } from "zod";
import { formatBytes } from "#server/domain/formatBytes.ts";

/** What a machine's processors and memory do at a moment. */
export const Processor = z.object({
  numCores: z.int(),
  /** Threads that ran or wanted to, mean over a minute; null where the system does not count them. */
  load: z.number().nullable(),
  memoryUsedBytes: z.number(),
  memoryTotalBytes: z.number(),
});
export type Processor = z.infer<typeof Processor>;

/** "load 3.2 on 16 cores · memory: 12 GB of 25 GB in use" */
export function describeProcessor({ numCores, load, memoryUsedBytes, memoryTotalBytes }: Processor): string {
  const cores = numCores === 1 ? "1 core" : `${numCores} cores`;
  const memory = `memory: ${formatBytes(memoryUsedBytes)} of ${formatBytes(memoryTotalBytes)} in use`;
  return `${load === null ? cores : `load ${load.toFixed(1)} on ${cores}`} · ${memory}`;
}

/**
 * What no node has: the memory of the largest one that it may go to, where a run asks for more. Undefined where it fits,
 * or where some node's memory is not known.
 */
export function findTooLittleMemory(
  nodes: readonly { processor: Processor | null }[],
  askedMb: number,
): { largestMb: number } | undefined {
  if (nodes.length === 0 || nodes.some(({ processor }) => processor === null)) return undefined;
  const largestMb = Math.max(...nodes.map(({ processor }) => (processor?.memoryTotalBytes ?? 0) / 1e6));
  return askedMb > largestMb ? { largestMb } : undefined;
}
