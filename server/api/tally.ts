export type Tally = {
  /** Counts one for a key: `most` at the moment when there were so many within the time, else undefined. */
  add(key: string, nowMs: number): number | undefined;
};

type Count = { number: number; sinceMs: number };

/** Says when something has happened `most` times within some time. Of more than `maxKeys` keys, the oldest are forgotten. */
export function makeTally({ most, withinMs, maxKeys }: { most: number; withinMs: number; maxKeys: number }): Tally {
  const counts = new Map<string, Count>();
  return {
    add: (key, nowMs) => {
      const last = counts.get(key);
      const isOver = last === undefined || nowMs - last.sinceMs > withinMs;
      const count = isOver ? { number: 1, sinceMs: nowMs } : { ...last, number: last.number + 1 };
      counts.delete(key);
      counts.set(key, count);
      for (const oldest of counts.keys()) {
        if (counts.size <= maxKeys) break;
        counts.delete(oldest);
      }
      // Told once, while the time runs on.
      return count.number === most ? most : undefined;
    },
  };
}
