/** Where to go after signing in: a path of ours, whatever the address bar asked for. */
export function localPath(wanted: string): string {
  const base = "http://here.invalid";
  if (!wanted.startsWith("/") || !URL.canParse(wanted, base)) return "/sweeps";
  const url = new URL(wanted, base);
  if (url.origin !== base || url.pathname.startsWith("//") || url.pathname === "/sign-in") return "/sweeps";
  return url.pathname + url.search;
}
