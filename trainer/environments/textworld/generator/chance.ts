import type { Rng } from "#trainer/spec/rng.ts";

/** Samples one item uniformly. */
export function pick<Item>(items: readonly Item[], rng: Rng): Item {
  const item = items[rng.int(items.length)];
  if (item === undefined) throw new RangeError("nothing to pick from");
  return item;
}

/** Returns a copy in random order. */
export function shuffle<Item>(items: readonly Item[], rng: Rng): Item[] {
  const shuffled: Item[] = [];
  const left = [...items];
  while (left.length > 0) shuffled.push(...left.splice(rng.int(left.length), 1));
  return shuffled;
}
