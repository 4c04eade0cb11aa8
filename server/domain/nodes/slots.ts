import type { Slots } from "./node.ts";

/** A node's slots by name; a GPU that several runs share is named as often. */
export function listSlots(slots: Slots): string[] {
  switch (slots.per) {
    case "core":
    case "job":
      return Array.from({ length: slots.count }, (_, i) => String(i));
    case "gpu":
      return slots.devices.flatMap((device) => Array.from({ length: slots.perDevice }, () => device));
  }
}

/** `all` less what is leased, each lease taking one slot of its name. A lease of a slot that no longer is counts for nothing. */
export function freeSlots(all: readonly string[], leased: readonly string[]): string[] {
  const taken = new Map<string, number>();
  for (const name of leased) taken.set(name, (taken.get(name) ?? 0) + 1);
  return all.filter((name) => {
    const left = taken.get(name) ?? 0;
    taken.set(name, left - 1);
    return left <= 0;
  });
}

/** What tells the trainer which of the node's devices are its own, and how many cores. */
export function slotEnvironment(slots: Slots, leased: readonly string[]): Record<string, string> {
  if (slots.per === "gpu") return { CUDA_VISIBLE_DEVICES: [...new Set(leased)].join(",") };
  return slots.per === "core" && leased.length > 1 ? { ARLARENA_THREADS: String(leased.length) } : {};
}
