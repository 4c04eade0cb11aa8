import type { MethodName, methods } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";

/** Only the methods' type is imported, because their definitions would add 4 kB to each page. */
type MethodTitle = (typeof methods)[MethodName]["title"];

/**
 * Range of palette slots for names of unpublished methods: the first is included, the end is not. Their hues are none of
 * GRPO's, GSPO's, SAPO's and SAMPO's, of which variants are made most often.
 */
export const freeSlots = { first: 64, end: 70 } as const;
const numHues = 12;

/**
 * Fixed palette slot of each published method, on every page and in every sweep. The palette repeats twelve hues. The
 * first twelve slots have unique hues and belong to the methods compared most often, including the ten in ARLArena's
 * table. Every other method shares its hue with a method that it is rarely compared with. Off-policy methods use the
 * slots from 28 on, in hues that GRPO, GSPO, SAPO and SAMPO leave unused.
 */
const slots: Record<MethodTitle, number> = {
  GRPO: 0,
  GSPO: 1,
  SAPO: 2,
  SAMPO: 3,
  GiGPO: 4,
  CISPO: 5,
  DAPO_GRPO: 6,
  EMPG: 7,
  PPO: 8,
  RLOO: 9,
  GRPO_ST: 10,
  DAPO_GiGPO: 11,
  SAPO_SM: 12,
  GMPO: 13,
  "Dr. GRPO": 14,
  AEPO: 15,
  "REINFORCE++": 16,
  "Clip-Cov": 17,
  CISPO_SM: 18,
  "KL-Cov": 19,
  "REINFORCE++ (baseline)": 20,
  GRPO_SM: 21,
  GRPO_TIS: 28,
  GRPO_SeqTIS: 29,
  IcePop: 30,
  GRPO_GeoRS: 31,
  "Decoupled PPO": 32,
  DPPO_TV: 33,
  VESPO: 34,
  VCPO: 35,
  GRPO_SeqMIS: 36,
  M2PO: 37,
  "Bypass PG": 38,
  "Bypass GRPO": 39,
  GRPO_K3RS: 40,
  GRPO_SeqMaskTIS: 41,
  TRM: 42,
  OPSM: 43,
  "Turn-PPO": 44,
  DPPO_KL: 45,
  "prime-rl": 46,
  "IPO (prime-rl)": 47,
  DRPO: 48,
  LUSPO: 49,
  SPO: 50,
  DRO: 51,
  HGPO: 52,
  "CE-GPPO": 53,
  ASPO: 54,
  GPG: 55,
  OPO: 56,
  "Pass@k": 57,
  MaxRL: 58,
  ReMax: 59,
  VCPO_OPOB: 60,
};
/** Returns the CSS colour of the method (or run) with this index; twelve colours, repeated for further methods. */
export function methodColour(index: number): string {
  return `var(--series-${(index % numHues) + 1})`;
}

const numFreeSlots = freeSlots.end - freeSlots.first;

/**
 * Returns the palette slot of a legend name. Published methods have fixed slots; other names are hashed to the free
 * slots. With `names` (all names in the sweep), two names share a slot only if no free slot is left.
 */
export function colourIndex(name: string, names: readonly string[] = []): number {
  if (isPublished(name)) return slots[name];
  const all = [...new Set([...names, name])];
  const hues = new Set(all.flatMap((other) => (isPublished(other) ? [slots[other] % numHues] : [])));
  const free = all.filter((other) => !isPublished(other));
  return assignFree(free, hues).get(name) ?? freeSlots.first;
}

function assignFree(names: readonly string[], hues: ReadonlySet<number>): Map<string, number> {
  const all = Array.from({ length: numFreeSlots }, (_, i) => freeSlots.first + i);
  const beside = all.filter((slot) => hues.has(slot % numHues));
  const assigned = new Map<string, number>();
  // Names are sorted, so that the order of a plan's methods does not change their colours.
  for (const name of names.toSorted()) {
    const used = [...assigned.values()];
    // Sharing a hue with a published method is better than sharing a slot with another variant.
    const taken = [new Set([...used, ...beside]), new Set(used), new Set<number>()].find(
      ({ size }) => size < numFreeSlots,
    );
    let slot = freeSlots.first + split(name).int(numFreeSlots);
    while (taken?.has(slot)) slot = slot + 1 < freeSlots.end ? slot + 1 : freeSlots.first;
    assigned.set(name, slot);
  }
  return assigned;
}

function isPublished(name: string): name is MethodTitle {
  return Object.hasOwn(slots, name);
}
