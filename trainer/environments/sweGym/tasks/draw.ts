import type { Rng } from "#trainer/spec/rng.ts";

export function shuffled<Item>(items: readonly Item[], rng: Rng): Item[] {
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = rng.int(i + 1);
    const [a, b] = [order[i], order[j]];
    if (a === undefined || b === undefined) continue;
    [order[i], order[j]] = [b, a];
  }
  return order;
}

export function drawOne<Item>(items: readonly Item[], rng: Rng): Item | undefined {
  return items[rng.int(items.length)];
}
