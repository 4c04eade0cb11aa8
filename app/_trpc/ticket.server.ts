import {
  isLinkCookie,
  knownCookie,
  type KnownBrowser,
  linkCookie,
  openKnown,
  openSession,
  sessionCookie,
  type SessionTicket,
} from "#server/config/session.ts";

/** The session of a request's cookie, by its signature alone; `readSession` checks that it is still open. */
export function readTicket(headers: Headers): SessionTicket | undefined {
  return openSession(sessionSecret(), readCookie(headers, sessionCookie), Date.now());
}

/** True if a request has the cookie of a read-only link, by its signature alone. */
export function hasLink(headers: Headers, linkId: string): boolean {
  return /^\d{1,9}$/.test(linkId) && isLinkCookie(sessionSecret(), readCookie(headers, linkCookie), Number(linkId));
}

/** The person who last signed in with this browser. */
export function readKnown(headers: Headers): KnownBrowser | undefined {
  return openKnown(sessionSecret(), readCookie(headers, knownCookie), Date.now());
}

export function sessionSecret(): string {
  return process.env["ARLARENA_SESSION_SECRET"] ?? "";
}

function readCookie(headers: Headers, name: string): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(/;\s*/);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
