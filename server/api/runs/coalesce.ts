/** Items of one cause arrive within this time. */
const togetherMs = 10;

/**
 * Batches items, at most once per `gatherMs`: the first after a quiet time almost immediately, a burst as one batch.
 * Yields an empty list first, when the source is already subscribed, so that the reader can catch up without a gap.
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
  // A failure before the await below must not count as an unhandled rejection.
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
