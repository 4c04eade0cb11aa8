import type { Gpu } from "#trainer/spec/gpus.ts";
import type { Machine } from "#trainer/spec/machine.ts";

/** GPUs reported by nodes: once by a trainer, and continuously where slots are GPUs. */
export type GpuNode = { node: { name: string }; machines: readonly Machine[]; gpus: readonly Gpu[] | null };

export type LargestGpu = { node: string; name: string; memoryMb: number };

/** GPU with the most memory over all nodes; undefined if none has reported its memory. */
export function findLargestGpu(nodes: readonly GpuNode[]): LargestGpu | undefined {
  const all = nodes.flatMap(({ node, machines, gpus }) =>
    [...(gpus ?? []), ...machines.flatMap((machine) => machine.gpus)].flatMap(({ name, memoryTotalMb }) =>
      memoryTotalMb === null ? [] : [{ node: node.name, name, memoryMb: Math.floor(memoryTotalMb * mebibyte) }],
    ),
  );
  return all.toSorted((a, b) => b.memoryMb - a.memoryMb)[0];
}

/** Drivers report mebibytes as MB. */
const mebibyte = 1.048576;

/** Memory needs of a run with a pretrained model: minimum, allowed maximum, and its execution provider. */
export type GpuNeed = { name: string; provider: string; neededMb: number; memoryLimitMb: number };

/** Note on a run that needs more memory than any reported GPU has; undefined if it fits or nothing is known. */
export function noteGpuMemory(need: GpuNeed, largest: LargestGpu | undefined): string | undefined {
  const { name, provider, neededMb, memoryLimitMb } = need;
  if (provider === "cpu" || largest === undefined) return undefined;
  const megabytes = (count: number): string => `${Math.round(count).toLocaleString("en-US")} MB`;
  const gpu = `the largest GPU that nodes told of, ${largest.name} of ${largest.node}, has ${megabytes(largest.memoryMb)}`;
  if (neededMb > largest.memoryMb) {
    return `${name} needs ${megabytes(neededMb)} on ${provider}, and ${gpu}: a run would not get through there.`;
  }
  if (memoryLimitMb <= largest.memoryMb) return undefined;
  return `On ${provider} ${name} may take ${megabytes(memoryLimitMb)}, its memory limit, and ${gpu}: passes are made as large as the limit allows.`;
}
