export type Tally = {
  /** Counts one event of a key. Returns `most` when the count reaches `most` within the period, else undefined. */
  add(key: string, nowMs: number): number | undefined;
};

type Count = { number: number; sinceMs: number };

/** Reports when a key has `most` events within `withinMs` of the first. Beyond `maxKeys`, old keys are evicted. */
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
      return count.number === most ? most : undefined;
    },
  };
}
