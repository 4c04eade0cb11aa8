import { z } from "zod";
import type { Pool } from "./client.ts";
import { readRows } from "./readRows.ts";

/**
 * Of each cell of these sweeps, by cell id: a name of its task and settings without the method. Cells of one name differ
 * in their method alone, whatever their sweeps vary and how their labels say so. `withoutSampler` ignores lag and precision of the sampler as well.
 */
export async function readCellSettings(
  pool: Pool,
  sweepIds: readonly string[],
  { withoutSampler = false } = {},
): Promise<Map<number, string>> {
  const sampler = withoutSampler ? " #- '{rollout,lag}' #- '{rollout,samplerPrecision}'" : "";
  const rows = await readRows(pool, z.object({ id: z.int(), setting: z.string() }), {
    // jsonb has one order of keys: equal values have equal texts.
    sql: `SELECT id, md5((spec - 'method' - 'execution'${sampler})::text) AS setting FROM cell WHERE sweep_id = ANY($1)`,
    values: [sweepIds],
  });
  return new Map(rows.map(({ id, setting }) => [id, setting]));
}
