/** Makes an LRU cache. A failed value is not cached; an evicted value is closed after its last use. */
export function makeRecent<Value>(
  most: number,
  { make, close = () => {} }: { make: (key: string) => Promise<Value>; close?: (value: Value) => Promise<void> | void },
) {
  type Entry = { value: Promise<Value>; numUsers: number; isDropped: boolean };
  // A Map keeps insertion order, so its first entry is the least recently used value.
  const entries = new Map<string, Entry>();

  function take(key: string): Entry {
    const entry = entries.get(key) ?? { value: make(key), numUsers: 0, isDropped: false };
    entries.delete(key);
    entries.set(key, entry);
    for (const [oldest, other] of entries) {
      if (entries.size <= most) break;
      entries.delete(oldest);
      other.isDropped = true;
      void closeIfUnused(other);
    }
    return entry;
  }

  async function closeIfUnused(entry: Entry): Promise<void> {
    if (!entry.isDropped || entry.numUsers > 0) return;
    const value = await entry.value.catch(() => undefined);
    if (value !== undefined) await close(value);
  }

  /** Calls `work` with the cached value of a key and keeps the value open until `work` has ended. */
  async function use<Result>(key: string, work: (value: Value) => Promise<Result> | Result): Promise<Result> {
    const entry = take(key);
    entry.numUsers += 1;
    try {
      const value = await entry.value.catch((error: unknown) => {
        if (entries.get(key) === entry) entries.delete(key);
        throw error;
      });
      return await work(value);
    } finally {
      entry.numUsers -= 1;
      await closeIfUnused(entry);
    }
  }

  return { use, keys: (): string[] => [...entries.keys()] };
}
