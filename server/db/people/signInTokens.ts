import type { Database } from "../storage/client.ts";
import { hashOf, makeSecretText } from "./apiTokens.ts";

const validForMs = 24 * 3600 * 1000;

/** Creates a one-time sign-in token for a user, or for the installation's owner; only its hash is stored. */
export async function createSignInToken({ prisma }: Database, personId: number | null = null): Promise<string> {
  const token = makeSecretText();
  await prisma.signInToken.create({ data: { tokenHash: hashOf(token), personId } });
  return token;
}

export type Redeemed = { kind: "ok"; personId: number | null } | { kind: "used" | "expired" | "unknown" };

/** Uses up a one-time sign-in token and returns its user. If the token is used twice at once, one use succeeds. */
export async function redeemSignInToken({ prisma }: Database, token: string, now: Date): Promise<Redeemed> {
  const tokenHash = hashOf(token);
  const known = await prisma.signInToken.findUnique({ where: { tokenHash } });
  if (!known) return { kind: "unknown" };
  if (now.getTime() - known.createdAt.getTime() > validForMs) return { kind: "expired" };
  const { count } = await prisma.signInToken.updateMany({ where: { tokenHash, usedAt: null }, data: { usedAt: now } });
  return count === 1 ? { kind: "ok", personId: known.personId } : { kind: "used" };
}
