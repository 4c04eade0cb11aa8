/** Disjoint ranges of task seeds. Seen tasks are new tasks of trained kinds, unseen tasks of held-out kinds. */
export const taskSeeds = {
  train: { from: 0, to: 2 ** 16 - 1 },
  seen: { from: 2 ** 16, to: 2 ** 17 },
  unseen: { from: 2 ** 17, to: 2 ** 18 },
} as const;
export type Split = keyof typeof taskSeeds;

/** Returns the seed range (train, seen, unseen) of a task seed. A seed outside all ranges counts as training. */
export function splitOf(seed: number): Split {
  const isIn = ({ from, to }: { from: number; to: number }): boolean => seed >= from && seed < to;
  if (isIn(taskSeeds.unseen)) return "unseen";
  return isIn(taskSeeds.seen) ? "seen" : "train";
}
