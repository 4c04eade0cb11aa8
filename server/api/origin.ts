const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** True for a Host of this server. Otherwise a foreign page could reach it by pointing its domain at 127.0.0.1. */
export function isKnownHost(host: string | null, configured: readonly string[]): boolean {
  if (!host) return false;
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return loopback.includes(name) || configured.some((known) => [name, host].includes(known.toLowerCase()));
}

/** True if a request comes from one of the studio's own pages, by its Origin header, or else by Sec-Fetch-Site. */
export function isSameOrigin(headers: Headers): boolean {
  const origin = headers.get("origin");
  if (!origin) return headers.get("sec-fetch-site") === "same-origin";
  return URL.canParse(origin) && new URL(origin).host === headers.get("host")?.toLowerCase();
}
