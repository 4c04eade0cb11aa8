/** Maximum number of runs that the charts and the server compare at once. */
export const maxCompared = 50;

/** Path of a run's page for one run, else of the comparison of the first `maxCompared` runs. */
export function comparePath(runIds: readonly string[]): string {
  const ids = runIds.slice(0, maxCompared).map(encodeURIComponent);
  return ids.length === 1 ? `/runs/${ids[0]}` : `/compare?runs=${ids.join(",")}`;
}
