import { z } from "zod";
import type { Database } from "../storage/client.ts";
import { readRows } from "../storage/readRows.ts";

/** Pretrained models of all sweeps, last used first. */
export async function readUsedModels({ pool }: Database): Promise<string[]> {
  const rows = await readRows(pool, z.object({ name: z.string() }), {
    sql: `SELECT c.spec->'policy'->>'pretrained' AS name FROM cell c
      WHERE c.spec->'policy'->>'pretrained' IS NOT NULL GROUP BY 1 ORDER BY max(c.id) DESC LIMIT 100`,
  });
  return rows.map(({ name }) => name);
}
