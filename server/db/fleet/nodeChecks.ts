import { z } from "zod";
import { AppError } from "#packages/base";
import { NodeCheck } from "#server/domain/fleet/nodes/check.ts";
import type { Pooled } from "../storage/client.ts";
import { readColumn, readRows } from "../storage/readRows.ts";

/** Requests a check of one compute node, or of all configured nodes. Returns the names of these nodes. */
export async function askForChecks({ pool }: Pooled, name?: string): Promise<string[]> {
  const names = await readColumn(pool, z.string(), {
    sql: `UPDATE node_sighting SET check_asked_at = now() WHERE is_configured AND ($1::text IS NULL OR name = $1) RETURNING name`,
    values: [name ?? null],
  });
  if (names.length > 0) return names.toSorted();
  throw new AppError(
    "not_found",
    name === undefined ? "no node was seen yet: start the studio" : `there is no node ${name}`,
  );
}

export async function readAskedChecks({ pool }: Pooled): Promise<string[]> {
  return readColumn(pool, z.string(), {
    sql: `SELECT name FROM node_sighting WHERE is_configured AND check_asked_at IS NOT NULL
       AND coalesce(("check"->>'atMs')::float8, 0) < extract(epoch FROM check_asked_at) * 1000 ORDER BY name`,
  });
}

export async function saveCheck({ pool }: Pooled, name: string, check: NodeCheck): Promise<void> {
  await pool.query(`UPDATE node_sighting SET "check" = $2 WHERE name = $1`, [name, JSON.stringify(check)]);
}

export async function readChecks({ pool }: Pooled): Promise<ReadonlyMap<string, NodeCheck>> {
  const rows = await readRows(pool, z.object({ name: z.string(), check: z.unknown() }), {
    sql: `SELECT name, "check" FROM node_sighting WHERE is_configured AND "check" IS NOT NULL ORDER BY name`,
  });
  const parsed = rows.map(({ name, check }) => [name, NodeCheck.safeParse(check).data] as const);
  return new Map(parsed.flatMap(([name, check]) => (check === undefined ? [] : [[name, check] as const])));
}

export async function readVersions(pool: Pooled): Promise<NodeCheck["versions"][]> {
  return [...(await readChecks(pool)).values()].map(({ versions }) => versions);
}
