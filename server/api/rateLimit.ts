export type RateLimit = {
  /** Counts one try of somebody: 0 when it may go on, else the milliseconds until the next one may. */
  take(key: string, nowMs: number): number;
};

type Bucket = { tokens: number; atMs: number };

/**
 * `most` tries at once, then one every `everyMs`, for each key (a token bucket). Nobody is locked out for good: waiting
 * is all it takes. Of more than `maxKeys` keys, those that tried longest ago are forgotten, so memory is bounded.
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
      // Again at the end: a Map keeps the order of insertion.
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
