/**
 * Gathers what comes within `gatherMs` of the first item and yields it together. Yields an empty list first, at once:
 * the reader's moment to catch up, when the source is already listened to and nothing can slip in between.
 */
export async function* coalesce<Item>(
  source: AsyncIterable<Item>,
  gatherMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item[]> {
  let gathered: Item[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  const pump = async (): Promise<void> => {
    for await (const item of source) {
      gathered.push(item);
      wake();
    }
  };
  const pumping = pump().finally(() => {
    isOver = true;
    wake();
  });
  // A source that fails before it is waited for below must not count as unheard.
  pumping.catch(() => undefined);
  yield [];
  while (!isOver && !signal?.aborted) {
    if (gathered.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (gathered.length === 0) continue;
    await new Promise((resolve) => setTimeout(resolve, gatherMs));
    const items = gathered;
    gathered = [];
    yield items;
  }
  if (isOver) await pumping;
}
