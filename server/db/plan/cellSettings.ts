import { z } from "zod";
import type { Pool } from "../storage/client.ts";
import { readRows } from "../storage/readRows.ts";

/**
 * Key of each cell's task and settings without the method, by cell id. Cells with equal keys differ only in their
 * method, whatever their labels. `withoutSampler` also ignores lag and precision of the sampler.
 */
export async function readCellSettings(
  pool: Pool,
  sweepIds: readonly string[],
  { withoutSampler = false } = {},
): Promise<Map<number, string>> {
  const sampler = withoutSampler ? " #- '{rollout,lag}' #- '{rollout,samplerPrecision}'" : "";
  const rows = await readRows(pool, z.object({ id: z.int(), setting: z.string() }), {
    // jsonb has a canonical order of keys: equal values have equal texts.
    sql: `SELECT id, md5((spec - 'method' - 'execution'${sampler})::text) AS setting FROM cell WHERE sweep_id = ANY($1)`,
    values: [sweepIds],
  });
  return new Map(rows.map(({ id, setting }) => [id, setting]));
}
