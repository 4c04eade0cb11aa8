import { pages, subjectOf } from "#server/domain/pages.ts";

/** The current page with its sweeps, which are added as `?sweep=` to URLs without sweeps. */
export type Place = {
  path: string;
  query: URLSearchParams;
  /** Sweeps that the page shows without naming them in its URL, such as the sweep of a run's page. */
  shown: readonly string[];
};

/** Returns the current page's sweeps: those in its URL if these include all shown ones, else the shown ones. */
export function selectionOf({ path, query, shown }: Place): readonly string[] {
  const subject = subjectOf(path);
  if (subject?.kind === "sweep") return [decodeURIComponent(subject.id)];
  const chosen = [...new Set(query.getAll("sweep"))].filter((id) => id !== "");
  const areShownChosen = shown.every((id) => chosen.includes(id));
  return areShownChosen ? chosen : shown;
}

/** Returns the URL `href` with the selected sweeps added, unless it already has sweeps or its page ignores them. */
export function carrySelection(href: string, selection: readonly string[]): string {
  const base = "http://here.invalid";
  if (selection.length === 0 || !href.startsWith("/") || !URL.canParse(href, base)) return href;
  const { pathname, search, searchParams, hash } = new URL(href, base);
  if (namesItsOwn.some((pattern) => pattern.test(pathname)) || searchParams.has("sweep")) return href;
  // The branches of a run are runs of other sweeps.
  if (pathname === pages.runs && searchParams.get("q")?.startsWith("from=") === true) return href;
  // The page of a run determines its sweep itself.
  if (selection.length === 1 && subjectOf(pathname)?.kind === "run") return href;
  const sweeps = selection.map((id) => `sweep=${encodeURIComponent(id)}`).join("&");
  return `${pathname}${search === "" ? "?" : `${search}&`}${sweeps}${hash}`;
}

/** Paths to which no selection is added: pages of one sweep, the builder, pages without a session, non-pages. */
const namesItsOwn: readonly RegExp[] = [/^\/sweeps\/./, /^\/(?:sign-in|invitation|shared|api|schema|_next)(?:\/|$)/];
