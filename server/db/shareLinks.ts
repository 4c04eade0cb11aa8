import { AppError } from "#server/domain/errors.ts";
import { describeShared, Shared } from "#server/domain/share/shared.ts";
import type { Database } from "./client.ts";
import { hashOf, makeSecretText } from "./secretHash.ts";

/** A use is written down at most so often. */
const useGrainMs = 60_000;

type NewLink = { shared: Shared; createdBy: string; expiresAt: Date };

/** A fresh link: the text of its address, which is not stored. */
export async function createShareLink(
  { prisma }: Database,
  { shared, ...link }: NewLink,
): Promise<{ id: number; text: string }> {
  const text = makeSecretText();
  const data = { ...link, subject: shared, tokenHash: hashOf(text) };
  const { id } = await prisma.shareLink.create({ data, select: { id: true } });
  return { id, text };
}

/** The links that still show something, the newest first. */
export async function listShareLinks({ prisma }: Database, now: Date) {
  const links = await prisma.shareLink.findMany({
    where: { revokedAt: null, expiresAt: { gt: now } },
    select: { id: true, subject: true, createdBy: true, createdAt: true, expiresAt: true, lastUsedAt: true },
    orderBy: { id: "desc" },
  });
  return links.map(({ subject, ...link }) => ({ ...link, shows: describeShared(Shared.parse(subject)) }));
}

/** Throws `not_found` where there is no such link any more. */
export async function revokeShareLink({ prisma }: Database, id: number, now: Date): Promise<void> {
  const { count } = await prisma.shareLink.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } });
  if (count === 0) throw new AppError("not_found", `there is no link ${id} that could be ended`);
}

/** The link that an address's text opens; undefined for a text of none, or of one that has ended. */
export async function findShareLink(
  { prisma }: Database,
  text: string,
  now: Date,
): Promise<{ id: number; expiresAt: Date } | undefined> {
  const link = await prisma.shareLink.findUnique({ where: { tokenHash: hashOf(text) } });
  return link && isOpen(link, now) ? { id: link.id, expiresAt: link.expiresAt } : undefined;
}

/** What a link shows at this moment; undefined where it has ended. Remembers to the minute when it was used. */
export async function useShareLink({ prisma }: Database, id: number, now: Date): Promise<Shared | undefined> {
  const link = await prisma.shareLink.findUnique({ where: { id } });
  if (!link || !isOpen(link, now)) return undefined;
  if (link.lastUsedAt === null || now.getTime() - link.lastUsedAt.getTime() > useGrainMs) {
    await prisma.shareLink.update({ where: { id }, data: { lastUsedAt: now } });
  }
  return Shared.parse(link.subject);
}

function isOpen({ revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date }, now: Date): boolean {
  return revokedAt === null && expiresAt > now;
}
