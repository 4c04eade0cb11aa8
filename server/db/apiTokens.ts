import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { Scope } from "#server/domain/scope.ts";
import type { Database } from "./client.ts";
import { readRows } from "./readRows.ts";

type NewToken = {
  name: string;
  scopes: readonly Scope[];
  /** Undefined: until it is revoked. */
  expiresAt?: Date;
};

/** A fresh bearer token for a program; only its hash is stored. */
export async function createApiToken({ prisma }: Database, { scopes, ...token }: NewToken): Promise<string> {
  const text = `arlt_${randomBytes(24).toString("base64url")}`;
  await prisma.apiToken.create({ data: { ...token, scopes: [...scopes], tokenHash: hashOf(text) } });
  return text;
}

const Valid = z.object({ tokenHash: z.string(), name: z.string(), scopes: z.array(Scope), isStale: z.boolean() });
export type ValidToken = Pick<z.infer<typeof Valid>, "tokenHash" | "name" | "scopes">;

/** What a token may do; undefined where it is unknown, revoked or expired. Remembers to the minute when it was used. */
export async function readApiToken({ pool }: Database, token: string): Promise<ValidToken | undefined> {
  const [valid] = await readRows(pool, Valid, {
    sql: `SELECT token_hash AS "tokenHash", name, scopes,
       coalesce(last_used_at < now() - interval '1 minute', true) AS "isStale"
     FROM api_token
     WHERE token_hash = $1 AND revoked_at IS NULL AND coalesce(expires_at > now(), true)`,
    values: [hashOf(token)],
  });
  if (valid?.isStale === true) {
    await pool.query("UPDATE api_token SET last_used_at = now() WHERE token_hash = $1", [valid.tokenHash]);
  }
  return valid;
}

/** Every token that is still valid, oldest first; the tokens themselves are known to nobody here. */
export async function listApiTokens({ prisma }: Database) {
  return prisma.apiToken.findMany({
    where: { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
    select: { name: true, scopes: true, createdAt: true, lastUsedAt: true, expiresAt: true },
    orderBy: [{ createdAt: "asc" }, { tokenHash: "asc" }],
  });
}

/** Ends every valid token of this name; returns how many. */
export async function revokeApiTokens({ prisma }: Database, name: string): Promise<number> {
  const { count } = await prisma.apiToken.updateMany({
    where: { name, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  return count;
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
