import { z } from "zod";
import type { Database } from "../storage/client.ts";
import { readRows } from "../storage/readRows.ts";

/** API request that must have its effect once. `hash`: SHA-256 of its content. */
export type KeyedRequest = { tokenHash: string; key: string; hash: string };

export type Claim =
  /** No earlier request has this key, so the sender may proceed. */
  | { kind: "first" }
  | { kind: "other" }
  /** An earlier request with this key is in progress, or was in progress when the studio was killed. */
  | { kind: "open"; since: Date }
  | { kind: "answered"; status: number; answer: string };

const Earlier = z.object({
  hash: z.string(),
  status: z.number().nullable(),
  answer: z.string().nullable(),
  createdAt: z.date(),
});

/** Reserves a key for a request, or returns the state of the earlier one with it. Keys expire after a day. */
export async function claimKey({ pool }: Database, { tokenHash, key, hash }: KeyedRequest): Promise<Claim> {
  await pool.query("DELETE FROM keyed_request WHERE created_at < now() - interval '1 day'");
  const { rowCount } = await pool.query(
    "INSERT INTO keyed_request (token_hash, key, hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    [tokenHash, key, hash],
  );
  if (rowCount === 1) return { kind: "first" };
  const [earlier] = await readRows(pool, Earlier, {
    sql: `SELECT hash, status, answer, created_at AS "createdAt" FROM keyed_request WHERE (token_hash, key) = ($1, $2)`,
    values: [tokenHash, key],
  });
  // The earlier request released the key between the two queries, so the sender should try again.
  if (!earlier) return { kind: "open", since: new Date() };
  if (earlier.hash !== hash) return { kind: "other" };
  const { status, answer, createdAt } = earlier;
  return status === null || answer === null ? { kind: "open", since: createdAt } : { kind: "answered", status, answer };
}

export async function keepAnswer(
  { pool }: Database,
  { tokenHash, key }: KeyedRequest,
  { status, answer }: { status: number; answer: string },
): Promise<void> {
  await pool.query("UPDATE keyed_request SET status = $3, answer = $4 WHERE (token_hash, key) = ($1, $2)", [
    tokenHash,
    key,
    status,
    answer,
  ]);
}

/** Releases the idempotency key of a request that changed nothing, so that the key can be used again. */
export async function releaseKey({ pool }: Database, { tokenHash, key }: KeyedRequest): Promise<void> {
  await pool.query("DELETE FROM keyed_request WHERE (token_hash, key) = ($1, $2)", [tokenHash, key]);
}
