/** Items of one cause arrive one after another within this time. */
const togetherMs = 10;

/**
 * Yields what came together, at most once in `gatherMs`: the first item after a quiet time almost at once, a burst as one.
 * Yields an empty list first: the reader's moment to catch up, when the source is already listened to and nothing can
 * slip in between.
 */
export async function* coalesce<Item>(
  source: AsyncIterable<Item>,
  gatherMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item[]> {
  const state = { gathered: new Array<Item>(), isOver: false, wake: (): void => undefined };
  const pump = async (): Promise<void> => {
    try {
      for await (const item of source) {
        state.gathered.push(item);
        state.wake();
      }
    } finally {
      state.isOver = true;
      state.wake();
    }
  };
  const pumping = pump();
  // A source that fails before it is waited for below must not count as unheard.
  pumping.catch(() => undefined);
  yield [];
  let lastMs = performance.now();
  const isOpen = (): boolean => !state.isOver && signal?.aborted !== true;
  while (isOpen() || state.gathered.length > 0) {
    if (state.gathered.length === 0) {
      await new Promise<void>((resolve) => {
        state.wake = resolve;
      });
      continue;
    }
    const waitMs = Math.max(togetherMs, lastMs + gatherMs - performance.now());
    if (isOpen()) await new Promise((resolve) => setTimeout(resolve, waitMs));
    lastMs = performance.now();
    yield state.gathered.splice(0);
  }
  if (state.isOver) await pumping;
}
