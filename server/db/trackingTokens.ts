import { createHash, randomBytes } from "node:crypto";
import type { Database } from "./client.ts";
import { readRows } from "./readRows.ts";
import { z } from "zod";

/** A fresh bearer token for the tracking endpoint; only its hash is stored. */
export async function createTrackingToken({ prisma }: Database, name: string): Promise<string> {
  const token = `arlt_${randomBytes(24).toString("base64url")}`;
  await prisma.trackingToken.create({ data: { tokenHash: hashOf(token), name } });
  return token;
}

/** Whether a token may write runs. Remembers roughly when it last did. */
export async function isTrackingToken({ pool }: Database, token: string): Promise<boolean> {
  const rows = await readRows(pool, z.object({ isStale: z.boolean() }), {
    sql: `SELECT coalesce(last_used_at < now() - interval '1 minute', true) AS "isStale"
     FROM tracking_token WHERE token_hash = $1 AND revoked_at IS NULL`,
    values: [hashOf(token)],
  });
  if (rows[0]?.isStale === true) {
    await pool.query("UPDATE tracking_token SET last_used_at = now() WHERE token_hash = $1", [hashOf(token)]);
  }
  return rows.length === 1;
}

/** Ends every valid token of this name; returns how many. */
export async function revokeTrackingTokens({ prisma }: Database, name: string): Promise<number> {
  const { count } = await prisma.trackingToken.updateMany({
    where: { name, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  return count;
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
