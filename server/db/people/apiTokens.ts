import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { Scope } from "#server/domain/people/access.ts";
import type { Database } from "../storage/client.ts";
import { Person } from "./people.ts";
import { readRows } from "../storage/readRows.ts";

type NewToken = {
  name: string;
  scopes: readonly Scope[];
  /** End of validity; if absent, the token is valid until it is revoked. */
  expiresAt?: Date;
  /** Id of the user who owns the token; if absent, the token belongs to the installation. */
  personId?: number;
  /** Hash of the token that created this one and whose revocation ends both; absent for a browser or command. */
  madeBy?: string;
};

export const tokenPrefix = "arlt_";

export async function createApiToken({ prisma }: Database, { scopes, ...token }: NewToken): Promise<string> {
  const text = `${tokenPrefix}${makeSecretText()}`;
  await prisma.apiToken.create({ data: { ...token, scopes: [...scopes], tokenHash: hashOf(text) } });
  return text;
}

const Valid = z.object({
  tokenHash: z.string(),
  name: z.string(),
  scopes: z.array(Scope),
  expiresAt: z.date().nullable(),
  person: Person.nullable(),
  isStale: z.boolean(),
});
export type ValidToken = Pick<z.infer<typeof Valid>, "tokenHash" | "name" | "scopes" | "expiresAt" | "person">;

/** Reads scopes and owner of a valid token, and records its last use to the minute. */
export async function readApiToken({ pool }: Database, token: string): Promise<ValidToken | undefined> {
  const [valid] = await readRows(pool, Valid, {
    sql: `SELECT token_hash AS "tokenHash", api_token.name, scopes, expires_at AS "expiresAt",
       coalesce(last_used_at < now() - interval '1 minute', true) AS "isStale",
       CASE WHEN person.id IS NOT NULL THEN
         json_build_object('id', person.id, 'name', person.name, 'role', person.role) END AS person
     FROM api_token LEFT JOIN person ON person.id = person_id
     WHERE token_hash = $1 AND revoked_at IS NULL AND coalesce(expires_at > now(), true)`,
    values: [hashOf(token)],
  });
  if (!valid) return undefined;
  const { isStale, ...rest } = valid;
  if (isStale) await pool.query("UPDATE api_token SET last_used_at = now() WHERE token_hash = $1", [valid.tokenHash]);
  return rest;
}

/** Lists valid API tokens, oldest first: those of one user, those of the installation (null), or all (undefined). */
export async function listApiTokens({ prisma }: Database, personId?: number | null) {
  const tokens = await prisma.apiToken.findMany({
    where: {
      revokedAt: null,
      OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
      ...(personId !== undefined && { personId }),
    },
    select: {
      name: true,
      scopes: true,
      createdAt: true,
      lastUsedAt: true,
      expiresAt: true,
      personId: true,
      person: { select: { name: true } },
    },
    orderBy: [{ createdAt: "asc" }, { tokenHash: "asc" }],
  });
  return tokens.map(({ person, ...token }) => ({ ...token, personName: person?.name ?? null }));
}

type Named = {
  name: string;
  /** Id of the user who owns the tokens; null: the installation; undefined: any owner. */
  personId?: number | null | undefined;
};

/** Revokes every valid token with this name, and all tokens created with these. Returns their number. */
export async function revokeApiTokens({ pool }: Database, { name, personId }: Named): Promise<number> {
  const { rowCount } = await pool.query(
    `WITH RECURSIVE ended AS (
       SELECT token_hash FROM api_token
       WHERE name = $1 AND revoked_at IS NULL AND ($2 OR person_id IS NOT DISTINCT FROM $3)
       UNION SELECT made.token_hash FROM api_token made JOIN ended ON made.made_by = ended.token_hash
     )
     UPDATE api_token SET revoked_at = now() WHERE revoked_at IS NULL AND token_hash IN (SELECT token_hash FROM ended)`,
    [name, personId === undefined, personId ?? null],
  );
  return rowCount ?? 0;
}

/** Returns a random text of 256 bits for tokens and links. It is sent to its owner and never stored. */
export function makeSecretText(): string {
  return randomBytes(32).toString("base64url");
}

/** Returns the hash of a secret token for storage. A single SHA-256 suffices: 256 random bits cannot be guessed. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
