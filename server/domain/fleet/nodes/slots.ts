import type { Slots } from "./node.ts";

/** Returns the names of a node's slots; a shared GPU appears once for each run that may share it. */
export function listSlots(slots: Slots): string[] {
  switch (slots.per) {
    case "core":
    case "job":
      return Array.from({ length: slots.count }, (_, i) => String(i));
    case "gpu":
      return slots.devices.flatMap((device) => Array.from({ length: slots.perDevice }, () => device));
  }
}

/** Returns the free slots: `all` without one entry per slot in use. Slots in use that no longer exist are ignored. */
export function freeSlots(all: readonly string[], leased: readonly string[]): string[] {
  const taken = new Map<string, number>();
  for (const name of leased) taken.set(name, (taken.get(name) ?? 0) + 1);
  return all.filter((name) => {
    const left = taken.get(name) ?? 0;
    taken.set(name, left - 1);
    return left <= 0;
  });
}

/** Returns environment variables that restrict a trainer to the GPUs or the number of cores that it may use. */
export function slotEnvironment(slots: Slots, leased: readonly string[]): Record<string, string> {
  if (slots.per === "gpu") return { CUDA_VISIBLE_DEVICES: [...new Set(leased)].join(",") };
  return slots.per === "core" && leased.length > 1 ? { ARLARENA_THREADS: String(leased.length) } : {};
}
