export type RateLimit = {
  /** Counts one attempt of a key: 0 if allowed, else the milliseconds until the next one is. */
  take(key: string, nowMs: number): number;
};

type Bucket = { tokens: number; atMs: number };

/**
 * Token bucket per key: `most` attempts at once, then one every `everyMs`. Nobody is locked out permanently. Beyond
 * `maxKeys` keys, the least recently used are evicted, so memory is bounded.
 */
export function makeRateLimit({
  most,
  everyMs,
  maxKeys,
}: {
  most: number;
  everyMs: number;
  maxKeys: number;
}): RateLimit {
  const buckets = new Map<string, Bucket>();
  return {
    take: (key, nowMs) => {
      const { tokens, atMs } = buckets.get(key) ?? { tokens: most, atMs: nowMs };
      const refilled = Math.min(most, tokens + (nowMs - atMs) / everyMs);
      const isAllowed = refilled >= 1;
      // Re-inserted at the end: a Map keeps insertion order.
      buckets.delete(key);
      buckets.set(key, { tokens: isAllowed ? refilled - 1 : refilled, atMs: nowMs });
      for (const oldest of buckets.keys()) {
        if (buckets.size <= maxKeys) break;
        buckets.delete(oldest);
      }
      return isAllowed ? 0 : Math.ceil((1 - refilled) * everyMs);
    },
  };
}
