import { AppError } from "#packages/base";
import { describeShared, Shared } from "#server/domain/publish/links.ts";
import type { Database } from "../storage/client.ts";
import { hashOf, makeSecretText } from "../people/apiTokens.ts";

/** Minimum time in ms between two updates of a share link's last use. */
const useGrainMs = 60_000;

type NewLink = { shared: Shared; createdBy: string; expiresAt: Date };

/** Creates a read-only share link and returns the secret of its URL, which is not stored. */
export async function createShareLink(
  { prisma }: Database,
  { shared, ...link }: NewLink,
): Promise<{ id: number; text: string }> {
  const text = makeSecretText();
  const data = { ...link, subject: shared, tokenHash: hashOf(text) };
  const { id } = await prisma.shareLink.create({ data, select: { id: true } });
  return { id, text };
}

export async function listShareLinks({ prisma }: Database, now: Date) {
  const links = await prisma.shareLink.findMany({
    where: { revokedAt: null, expiresAt: { gt: now } },
    select: { id: true, subject: true, createdBy: true, createdAt: true, expiresAt: true, lastUsedAt: true },
    orderBy: { id: "desc" },
  });
  return links.map(({ subject, ...link }) => ({ ...link, shows: describeShared(Shared.parse(subject)) }));
}

/** Revokes a share link. Throws `not_found` if the link is unknown or already revoked. */
export async function revokeShareLink({ prisma }: Database, id: number, now: Date): Promise<void> {
  const { count } = await prisma.shareLink.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } });
  if (count === 0) throw new AppError("not_found", `there is no valid link ${id}`);
}

/** Finds a share link by the secret of its URL; undefined if the link is unknown or has ended. */
export async function findShareLink(
  { prisma }: Database,
  text: string,
  now: Date,
): Promise<{ id: number; expiresAt: Date } | undefined> {
  const link = await prisma.shareLink.findUnique({ where: { tokenHash: hashOf(text) } });
  return link && isOpen(link, now) ? { id: link.id, expiresAt: link.expiresAt } : undefined;
}

/** Returns the content that a share link shows; undefined if the link has ended. Records its last use to the minute. */
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
