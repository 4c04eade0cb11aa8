import type { SessionTicket } from "#server/config/session.ts";
import type { Person } from "#server/db/people/people.ts";
import * as sessions from "#server/db/people/sessions.ts";
import { services } from "./services.server.ts";
import { readTicket } from "./ticket.server.ts";

declare global {
  // One per process, as the connections: ending a session aborts its streams, whichever bundle opened them.
  var arlarenaSessionEnds: Map<string, AbortController> | undefined;
}

type Session = SessionTicket & { /** Null: the owner of the installation. */ person: Person | null };

/** The session of a request; undefined if it has none, or one that was ended or has expired. */
export async function readSession(headers: Headers): Promise<Session | undefined> {
  const ticket = readTicket(headers);
  const used = ticket && (await sessions.useSession(services().database, ticket.id, new Date()));
  return used && { ...ticket, ...used };
}

/** Ends a session: its cookie, every copy of the cookie, and its open streams. */
export async function endSession({ id }: SessionTicket): Promise<void> {
  await sessions.endSession(services().database, id);
  const ends = (globalThis.arlarenaSessionEnds ??= new Map());
  ends.get(id)?.abort();
  ends.delete(id);
}

/** Signal that is aborted when the session ends in this process. */
export function onceEnded({ id }: SessionTicket): AbortSignal {
  const ends = (globalThis.arlarenaSessionEnds ??= new Map());
  const end = ends.get(id) ?? new AbortController();
  ends.set(id, end);
  return end.signal;
}
