import { methodNames, methods, type MethodName } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";

/** Slots of the chart palette. A palette of fewer hues repeats them with another dash or marker. */
export const numColourSlots = 28;

/**
 * Published methods keep one slot on every page and in every sweep. The first twelve have a hue of their own: those that
 * are compared most often, both papers' together. Of the others, variants come twelve after what they vary.
 */
const slots: Record<MethodName, number> = {
  grpo: 0,
  gspo: 1,
  sapo: 2,
  sampo: 3,
  gigpo: 4,
  cispo: 5,
  dapoGrpo: 6,
  empg: 7,
  ppo: 8,
  rloo: 9,
  sapoSm: 10,
  cispoSm: 11,
  grpoSt: 12,
  gmpo: 13,
  drGrpo: 14,
  aepo: 15,
  reinforcePlusPlus: 16,
  clipCov: 17,
  dapoGigpo: 18,
  klCov: 19,
  reinforcePlusPlusBaseline: 20,
  grpoSm: 21,
};
const firstFreeSlot = Object.keys(slots).length;
const numFreeSlots = numColourSlots - firstFreeSlot;

/**
 * The palette slot of a legend name. Names of published methods have fixed slots; other names hash to the remaining
 * ones, and where `names` (the sweep's methods) is given, two of them share a slot only when the slots have run out.
 */
export function colourIndex(name: string, names: readonly string[] = []): number {
  const known = methodNames.find((candidate) => methods[candidate].title === name);
  if (known) return slots[known];
  return assignFree([...new Set([...names, name])].filter((other) => !isPublished(other))).get(name) ?? firstFreeSlot;
}

function assignFree(names: readonly string[]): Map<string, number> {
  const assigned = new Map<string, number>();
  // Sorted: the order of a plan's methods must not change their colours.
  for (const name of names.toSorted()) {
    const taken = assigned.size < numFreeSlots ? new Set(assigned.values()) : new Set();
    let slot = firstFreeSlot + split(name).int(numFreeSlots);
    while (taken.has(slot)) slot = slot + 1 < numColourSlots ? slot + 1 : firstFreeSlot;
    assigned.set(name, slot);
  }
  return assigned;
}

function isPublished(name: string): boolean {
  return methodNames.some((candidate) => methods[candidate].title === name);
}
