import { methodNames, methods, type MethodName } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";

/** The slots of names that no published method has: from the first of them up to, and without, the last. */
export const freeSlots = { first: 22, end: 28 } as const;

/**
 * Published methods keep one slot on every page and in every sweep; a palette of twelve hues repeats them. The first twelve
 * have a hue of their own: those that are compared most often, both papers' together. Of the others, variants come twelve
 * after what they vary. Methods for a sampler that is another policy stand beyond the free slots, those that are compared
 * with GRPO, GSPO, SAPO and SAMPO first, in the hues that these leave.
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
  grpoTis: 28,
  grpoSeqTis: 29,
  icePop: 30,
  grpoGeoRs: 31,
  decoupledPpo: 32,
  dppoTv: 33,
  vespo: 34,
  vcpo: 35,
  grpoSeqMis: 36,
  m2po: 37,
  bypassPg: 38,
  bypassGrpo: 39,
  grpoK3Rs: 40,
  seqMaskTis: 41,
  trm: 42,
  opsm: 43,
  turnPpo: 44,
  dppoKl: 45,
  primeRl: 46,
  ipo: 47,
  drpo: 48,
  luspo: 49,
  spo: 50,
  dro: 51,
  hgpo: 52,
  ceGppo: 53,
  aspo: 54,
  gpg: 55,
  opo: 56,
  passK: 57,
  maxRl: 58,
};
const numFreeSlots = freeSlots.end - freeSlots.first;

/**
 * The palette slot of a legend name. Names of published methods have fixed slots; other names hash to the remaining
 * ones, and where `names` (the sweep's methods) is given, two of them share a slot only when the slots have run out.
 */
export function colourIndex(name: string, names: readonly string[] = []): number {
  const known = methodNames.find((candidate) => methods[candidate].title === name);
  if (known) return slots[known];
  return assignFree([...new Set([...names, name])].filter((other) => !isPublished(other))).get(name) ?? freeSlots.first;
}

function assignFree(names: readonly string[]): Map<string, number> {
  const assigned = new Map<string, number>();
  // Sorted: the order of a plan's methods must not change their colours.
  for (const name of names.toSorted()) {
    const taken = assigned.size < numFreeSlots ? new Set(assigned.values()) : new Set();
    let slot = freeSlots.first + split(name).int(numFreeSlots);
    while (taken.has(slot)) slot = slot + 1 < freeSlots.end ? slot + 1 : freeSlots.first;
    assigned.set(name, slot);
  }
  return assigned;
}

function isPublished(name: string): boolean {
  return methodNames.some((candidate) => methods[candidate].title === name);
}
