import type { SessionTicket } from "#server/config/session.ts";
import type { Person } from "#server/db/people.ts";
import * as sessions from "#server/db/sessions.ts";
import { services } from "./services.server.ts";
import { readTicket } from "./ticket.server.ts";

declare global {
  // One per process, as the connections are: what hangs on a session ends with it, whichever bundle opened it.
  var arlarenaSessionEnds: Map<string, AbortController> | undefined;
}

type Session = SessionTicket & { /** Null: who holds the installation. */ person: Person | null };

/** The session of a request; undefined when it carries none, or one that was ended or has expired. */
export async function readSession(headers: Headers): Promise<Session | undefined> {
  const ticket = readTicket(headers);
  const used = ticket && (await sessions.useSession(services().database, ticket.id, new Date()));
  return used && { ...ticket, ...used };
}

/** Ends a session: its cookie, every copy of that, and the streams that it has open. */
export async function endSession({ id }: SessionTicket): Promise<void> {
  await sessions.endSession(services().database, id);
  const ends = (globalThis.arlarenaSessionEnds ??= new Map());
  ends.get(id)?.abort();
  ends.delete(id);
}

/** Aborted when the session is ended here. */
export function onceEnded({ id }: SessionTicket): AbortSignal {
  const ends = (globalThis.arlarenaSessionEnds ??= new Map());
  const end = ends.get(id) ?? new AbortController();
  ends.set(id, end);
  return end.signal;
}
