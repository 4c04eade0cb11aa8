import { pages, runPage } from "#server/domain/pages.ts";
/** Maximum number of runs that the charts and the server compare at once. */
export const maxCompared = 50;

/** Returns the path of the page of a single run, or of the page that compares the first `maxCompared` runs. */
export function comparePath(runIds: readonly string[]): string {
  const [first = "", ...others] = runIds.slice(0, maxCompared);
  if (others.length === 0) return runPage(first);
  return `${pages.compare}?runs=${[first, ...others].map(encodeURIComponent).join(",")}`;
}
