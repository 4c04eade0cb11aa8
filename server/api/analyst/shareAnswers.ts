type Work = (signal: AbortSignal) => Promise<unknown>;
type Entry = { answer: Promise<unknown>; numWaiting: number; abort: AbortController };

export type Caller = {
  signal?: AbortSignal | undefined;
  /** Asked when the answer has come: true if the caller no longer waits and another is about to request it. */
  isLate?: (() => boolean) | undefined;
};

/** Time for which an answer that was requested ahead is kept. */
const keptMs = 3000;

/**
 * Shares one answer among identical concurrent requests. The work is aborted when the last caller has gone. An answer
 * that was requested ahead, and that nobody else waits for, is kept for the next request.
 */
export function makeShared(): (key: string, work: Work, caller?: Caller) => Promise<unknown> {
  const entries = new Map<string, Entry>();
  const kept = new Map<string, unknown>();

  function keep(key: string, value: unknown): void {
    kept.set(key, value);
    setTimeout(() => kept.delete(key), keptMs).unref();
  }

  function begin(key: string, work: Work): Entry {
    const abort = new AbortController();
    const entry: Entry = { answer: work(abort.signal), numWaiting: 0, abort };
    const forget = () => void (entries.get(key) === entry && entries.delete(key));
    entry.answer.then(forget, forget);
    abort.signal.addEventListener("abort", forget);
    entries.set(key, entry);
    return entry;
  }

  return async (key, work, { signal, isLate } = {}) => {
    signal?.throwIfAborted();
    if (kept.has(key)) {
      const value = kept.get(key);
      kept.delete(key);
      return value;
    }
    const entry = entries.get(key) ?? begin(key, work);
    entry.numWaiting += 1;
    let leave = (): void => undefined;
    const gone = new Promise<never>((_, reject) => {
      leave = () => reject(signal?.reason);
      signal?.addEventListener("abort", leave);
    });
    try {
      const value = await Promise.race([entry.answer, gone]);
      if (isLate?.() === true && entry.numWaiting === 1) keep(key, value);
      return value;
    } finally {
      signal?.removeEventListener("abort", leave);
      entry.numWaiting -= 1;
      // No other caller waits; aborting finished work has no effect.
      if (entry.numWaiting === 0) entry.abort.abort(signal?.reason);
    }
  };
}
