import { createHash, randomBytes } from "node:crypto";
import type { Database } from "./client.ts";

const validForMs = 24 * 3600 * 1000;

/** A fresh one-time token; only its hash is stored. */
export async function createSignInToken({ prisma }: Database): Promise<string> {
  const token = randomBytes(24).toString("base64url");
  await prisma.signInToken.create({ data: { tokenHash: hashOf(token) } });
  return token;
}

export type Redeemed = "ok" | "used" | "expired" | "unknown";

/** Spends a token. Of two requests with the same token, one gets "ok". */
export async function redeemSignInToken({ prisma }: Database, token: string, now: Date): Promise<Redeemed> {
  const tokenHash = hashOf(token);
  const known = await prisma.signInToken.findUnique({ where: { tokenHash } });
  if (!known) return "unknown";
  if (now.getTime() - known.createdAt.getTime() > validForMs) return "expired";
  const { count } = await prisma.signInToken.updateMany({ where: { tokenHash, usedAt: null }, data: { usedAt: now } });
  return count === 1 ? "ok" : "used";
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
