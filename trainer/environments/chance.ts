import type { Rng } from "#trainer/spec/rng.ts";

/** Returns one item, sampled uniformly. Throws if there is none. */
export function pick<Item>(items: readonly Item[], rng: Rng): Item {
  const item = items[rng.int(items.length)];
  if (item === undefined) throw new RangeError("nothing to pick from");
  return item;
}

export function shuffle<Item>(items: readonly Item[], rng: Rng): Item[] {
  const shuffled: Item[] = [];
  const left = [...items];
  while (left.length > 0) shuffled.push(...left.splice(rng.int(left.length), 1));
  return shuffled;
}
