import { subjectOf } from "#server/domain/pages.ts";

/**
 * The current page. Its sweeps are the selection, which links, keys and the palette add as `?sweep=` to URLs that name
 * no sweeps.
 */
export type Place = {
  path: string;
  query: URLSearchParams;
  /** Sweeps that the page shows without naming them in its URL, such as the sweep of a run's page. */
  shown: readonly string[];
};

/** @returns the sweeps of the current page: those in its URL, else those that it shows */
export function selectionOf({ path, query, shown }: Place): readonly string[] {
  const subject = subjectOf(path);
  if (subject?.kind === "sweep") return [decodeURIComponent(subject.id)];
  const chosen = [...new Set(query.getAll("sweep"))].filter((id) => id !== "");
  const areShownChosen = shown.every((id) => chosen.includes(id));
  return areShownChosen ? chosen : shown;
}

/** @returns the URL with the selected sweeps added, unless it names sweeps or its page ignores the selection */
export function carrySelection(href: string, selection: readonly string[]): string {
  const base = "http://here.invalid";
  if (selection.length === 0 || !href.startsWith("/") || !URL.canParse(href, base)) return href;
  const { pathname, search, searchParams, hash } = new URL(href, base);
  if (namesItsOwn.some((pattern) => pattern.test(pathname)) || searchParams.has("sweep")) return href;
  // A run's page determines its sweep itself.
  if (selection.length === 1 && subjectOf(pathname)?.kind === "run") return href;
  const sweeps = selection.map((id) => `sweep=${encodeURIComponent(id)}`).join("&");
  return `${pathname}${search === "" ? "?" : `${search}&`}${sweeps}${hash}`;
}

/** URLs without the selection: pages of one sweep, the builder, pages without a session, and URLs that are not pages. */
const namesItsOwn: readonly RegExp[] = [/^\/sweeps\/./, /^\/(?:sign-in|invitation|shared|api|schema|_next)(?:\/|$)/];
