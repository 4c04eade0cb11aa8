import { randomBytes } from "node:crypto";
import { sessionMaxAgeMs, sessionMaxIdleMs } from "#server/config/session.ts";
import type { Database } from "./client.ts";

/** A use is written down at most so often: pages ask many times a second. */
const useGrainMs = 5 * 60_000;

/** Begins a session and returns its id; sessions that have expired are deleted on the way. */
export async function createSession({ prisma }: Database, now: Date): Promise<string> {
  const id = randomBytes(18).toString("base64url");
  await prisma.session.deleteMany({ where: { NOT: isFresh(now) } });
  await prisma.session.create({ data: { id, createdAt: now, lastUsedAt: now } });
  return id;
}

/** Whether a session goes on: neither ended, nor too old, nor unused for too long. Says that it is in use. */
export async function useSession({ prisma }: Database, id: string, now: Date): Promise<boolean> {
  const session = await prisma.session.findFirst({ where: { id, ...isFresh(now) } });
  if (session && now.getTime() - session.lastUsedAt.getTime() > useGrainMs) {
    await prisma.session.updateMany({ where: { id }, data: { lastUsedAt: now } });
  }
  return session !== null;
}

/** Ends a session for every copy of its cookie. */
export async function endSession({ prisma }: Database, id: string): Promise<void> {
  await prisma.session.deleteMany({ where: { id } });
}

function isFresh(now: Date) {
  const since = (ageMs: number) => ({ gte: new Date(now.getTime() - ageMs) });
  return { createdAt: since(sessionMaxAgeMs), lastUsedAt: since(sessionMaxIdleMs) };
}
