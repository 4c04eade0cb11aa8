import { randomBytes } from "node:crypto";
import { sessionMaxAgeMs, sessionMaxIdleMs } from "#server/config/session.ts";
import type { Database } from "../storage/client.ts";
import { Person } from "./people.ts";

/** Minimum time in ms between two updates of a session's last use: pages send many requests a second. */
const useGrainMs = 5 * 60_000;

/** Creates a session (null: of the installation's owner) and deletes expired ones. */
export async function createSession({ prisma }: Database, personId: number | null, now: Date): Promise<string> {
  const id = randomBytes(18).toString("base64url");
  await prisma.session.deleteMany({ where: { NOT: isFresh(now) } });
  await prisma.session.create({ data: { id, personId, createdAt: now, lastUsedAt: now } });
  if (personId !== null) await prisma.person.update({ where: { id: personId }, data: { lastSeenAt: now } });
  return id;
}

/** Returns the session's user (null: the installation's owner) and records the use; undefined if it has ended. */
export async function useSession(
  { prisma }: Database,
  id: string,
  now: Date,
): Promise<{ person: Person | null } | undefined> {
  const session = await prisma.session.findFirst({ where: { id, ...isFresh(now) }, include: { person: true } });
  if (session && now.getTime() - session.lastUsedAt.getTime() > useGrainMs) {
    await prisma.session.updateMany({ where: { id }, data: { lastUsedAt: now } });
    if (session.personId !== null) {
      await prisma.person.updateMany({ where: { id: session.personId }, data: { lastSeenAt: now } });
    }
  }
  return session ? { person: session.person && Person.parse(session.person) } : undefined;
}

/** Ends a session, also for copies of its cookie. */
export async function endSession({ prisma }: Database, id: string): Promise<void> {
  await prisma.session.deleteMany({ where: { id } });
}

function isFresh(now: Date) {
  const since = (ageMs: number) => ({ gte: new Date(now.getTime() - ageMs) });
  return { createdAt: since(sessionMaxAgeMs), lastUsedAt: since(sessionMaxIdleMs) };
}
