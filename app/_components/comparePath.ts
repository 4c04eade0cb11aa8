/** What the charts and the server take at once. */
export const mostCompared = 50;

/** The page of some runs: their comparison, or of one run its own; of more than a comparison takes, the first. */
export function comparePath(runIds: readonly string[]): string {
  const ids = runIds.slice(0, mostCompared).map(encodeURIComponent);
  return ids.length === 1 ? `/runs/${ids[0]}` : `/compare?runs=${ids.join(",")}`;
}
