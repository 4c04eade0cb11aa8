export type SizedCache<Value> = {
  /** Returns a value, and marks it as used. */
  find: (key: string) => Value | undefined;
  /** Keeps a value and drops those used longest ago beyond the total; a value above it is not kept. */
  keep: (key: string, value: Value, numBytes: number) => void;
};

/** Makes a cache whose values have at most `maxBytes` together. */
export function makeSizedCache<Value>(maxBytes: number): SizedCache<Value> {
  // A map lists its keys in the order of insertion, so the first one was used longest ago.
  const kept = new Map<string, { value: Value; numBytes: number }>();
  let total = 0;

  function drop(key: string): void {
    total -= kept.get(key)?.numBytes ?? 0;
    kept.delete(key);
  }

  return {
    find(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found.value;
    },
    keep(key, value, numBytes) {
      drop(key);
      if (numBytes > maxBytes) return;
      kept.set(key, { value, numBytes });
      total += numBytes;
      for (const oldest of kept.keys()) {
        if (total <= maxBytes) return;
        drop(oldest);
      }
    },
  };
}
