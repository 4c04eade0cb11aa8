/** Maximum number of configurations that are shown at once; a larger sweep is split into pages. */
export const maxWhole = 60;
const perPage = 24;

export type Named = { method: string; label: string };

/** Returns one page, from 0, of matching configurations. Up to `maxWhole` configurations are one unfiltered page. */
export function prepareCellPage<Cell extends Named>(
  cells: readonly Cell[],
  { words, page }: { words: string; page: number },
) {
  if (cells.length <= maxWhole) return { shown: cells, numFound: cells.length, page: 0, numPages: 1, from: 0 };
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = cells.filter(({ method, label }) => {
    const name = `${method} ${label}`.toLowerCase();
    return wanted.every((word) => name.includes(word));
  });
  const numPages = Math.max(1, Math.ceil(found.length / perPage));
  const shownPage = Math.min(Math.max(0, page), numPages - 1);
  const from = shownPage * perPage;
  return { shown: found.slice(from, from + perPage), numFound: found.length, page: shownPage, numPages, from };
}
