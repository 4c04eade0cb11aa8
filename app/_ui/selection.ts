/**
 * The sweeps that a reader chose, and how they follow through the pages: as `?sweep=` of every page of this product that names
 * none itself. A link, a key and the palette add them to where they lead.
 */
export type Place = {
  path: string;
  query: URLSearchParams;
  /** Sweeps that the page shows although its address does not name them, as a run's page shows its sweep. */
  shown: readonly string[];
};

/** @returns the sweeps of the page that is open: those of its address, unless it shows another one */
export function selectionOf({ path, query, shown }: Place): readonly string[] {
  const [, sweepId] = sweepPage.exec(path) ?? [];
  if (sweepId !== undefined) return [decodeURIComponent(sweepId)];
  const chosen = [...new Set(query.getAll("sweep"))].filter((id) => id !== "");
  const areShownChosen = shown.every((id) => chosen.includes(id));
  return areShownChosen ? chosen : shown;
}

/** @returns the address with the selection in it, unless it names its sweeps itself or is about something else */
export function carrySelection(href: string, selection: readonly string[]): string {
  const base = "http://here.invalid";
  if (selection.length === 0 || !href.startsWith("/") || !URL.canParse(href, base)) return href;
  const { pathname, search, searchParams, hash } = new URL(href, base);
  if (namesItsOwn.some((pattern) => pattern.test(pathname)) || searchParams.has("sweep")) return href;
  // A run's page knows its own sweep.
  if (selection.length === 1 && /^\/runs\/./.test(pathname)) return href;
  const sweeps = selection.map((id) => `sweep=${encodeURIComponent(id)}`).join("&");
  return `${pathname}${search === "" ? "?" : `${search}&`}${sweeps}${hash}`;
}

const sweepPage = /^\/sweeps\/(?!new$)([^/]+)$/;

/** Pages of one sweep, the builder, pages for people without a session, and what is no page. */
const namesItsOwn: readonly RegExp[] = [/^\/sweeps\/./, /^\/(?:sign-in|invitation|shared|api|schema|_next)(?:\/|$)/];
