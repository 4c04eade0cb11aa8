import { pages } from "#server/domain/pages.ts";
/** Returns the path to open after signing in. It is always within the studio, whatever URL was requested. */
export function localPath(wanted: string): string {
  const base = "http://here.invalid";
  if (!wanted.startsWith("/") || !URL.canParse(wanted, base)) return pages.sweeps;
  const url = new URL(wanted, base);
  if (url.origin !== base || url.pathname.startsWith("//") || url.pathname === "/sign-in") return pages.sweeps;
  return url.pathname + url.search;
}
