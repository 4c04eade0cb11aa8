type Work = (signal: AbortSignal) => Promise<unknown>;
type Entry = { answer: Promise<unknown>; numWaiting: number; abort: AbortController };

/** Shares one answer among identical concurrent requests. The work is aborted when the last caller has gone. */
export function makeShared(): (key: string, work: Work, signal?: AbortSignal) => Promise<unknown> {
  const entries = new Map<string, Entry>();

  function begin(key: string, work: Work): Entry {
    const abort = new AbortController();
    const entry: Entry = { answer: work(abort.signal), numWaiting: 0, abort };
    const forget = () => void (entries.get(key) === entry && entries.delete(key));
    entry.answer.then(forget, forget);
    abort.signal.addEventListener("abort", forget);
    entries.set(key, entry);
    return entry;
  }

  return async (key, work, signal) => {
    signal?.throwIfAborted();
    const entry = entries.get(key) ?? begin(key, work);
    entry.numWaiting += 1;
    let leave = (): void => undefined;
    const gone = new Promise<never>((_, reject) => {
      leave = () => reject(signal?.reason);
      signal?.addEventListener("abort", leave);
    });
    try {
      return await Promise.race([entry.answer, gone]);
    } finally {
      signal?.removeEventListener("abort", leave);
      entry.numWaiting -= 1;
      // No other caller waits; aborting finished work has no effect.
      if (entry.numWaiting === 0) entry.abort.abort(signal?.reason);
    }
  };
}
