import { z } from "zod";
import { formatBytes } from "#packages/base";

/** Load of a machine's processors and memory at one moment. */
export const Processor = z.object({
  numCores: z.int(),
  /** Load average over a minute; null if the system has none. */
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
 * Memory of the largest allowed node, if a run requests more. Undefined if it fits, or if some node's memory is
 * unknown.
 */
export function findTooLittleMemory(
  nodes: readonly { processor: Processor | null }[],
  askedMb: number,
): { largestMb: number } | undefined {
  if (nodes.length === 0 || nodes.some(({ processor }) => processor === null)) return undefined;
  const largestMb = Math.max(...nodes.map(({ processor }) => (processor?.memoryTotalBytes ?? 0) / 1e6));
  return askedMb > largestMb ? { largestMb } : undefined;
}
