import {
  isLinkCookie,
  type KnownBrowser,
  knownCookie,
  linkCookie,
  openKnown,
  openSession,
  sessionCookie,
  type SessionTicket,
} from "#server/config/session.ts";
import type { Person } from "#server/db/people/people.ts";
import * as sessions from "#server/db/people/sessions.ts";
import { services } from "./services.server.ts";

declare global {
  // Abort controllers by session id, one map per process: ending a session aborts its streams in all bundles.
  var arlarenaSessionEnds: Map<string, AbortController> | undefined;
}

/** An open session with the signed-in person; null for the installation's owner. */
type Session = SessionTicket & { person: Person | null };

/** Returns the session of a request; undefined if the request has none, or its session was ended or has expired. */
export async function readSession(headers: Headers): Promise<Session | undefined> {
  const ticket = readTicket(headers);
  const used = ticket && (await sessions.useSession(services().database, ticket.id, new Date()));
  return used && { ...ticket, ...used };
}

/** Ends a session: invalidates its cookie and every copy of it, and closes its open streams. */
export async function endSession({ id }: SessionTicket): Promise<void> {
  await sessions.endSession(services().database, id);
  const ends = (globalThis.arlarenaSessionEnds ??= new Map());
  ends.get(id)?.abort();
  ends.delete(id);
}

/** Returns the signal that is aborted when the session ends in this process. */
export function onceEnded({ id }: SessionTicket): AbortSignal {
  const ends = (globalThis.arlarenaSessionEnds ??= new Map());
  const end = ends.get(id) ?? new AbortController();
  ends.set(id, end);
  return end.signal;
}

/** Returns the session ticket in a cookie. Only its signature is checked; `readSession` checks that it is open. */
export function readTicket(headers: Headers): SessionTicket | undefined {
  return openSession(sessionSecret(), readCookie(headers, sessionCookie), Date.now());
}

/** Returns true if a request has the cookie of this read-only link; only the cookie's signature is checked. */
export function hasLink(headers: Headers, linkId: string): boolean {
  return /^\d{1,9}$/.test(linkId) && isLinkCookie(sessionSecret(), readCookie(headers, linkCookie), Number(linkId));
}

/** Returns the person who last signed in with this browser, from a signed cookie. */
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
