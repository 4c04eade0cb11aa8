import { cpus, freemem, loadavg, platform, totalmem } from "node:os";
import type { Processor } from "#server/domain/fleet/nodes/processor.ts";

/** Current load of this machine's processors and memory. */
export function readProcessor(): Processor {
  const [load = 0] = loadavg();
  const memoryTotalBytes = totalmem();
  const memoryUsedBytes = memoryTotalBytes - freemem();
  return { numCores: cpus().length, load: platform() === "win32" ? null : load, memoryUsedBytes, memoryTotalBytes };
}
