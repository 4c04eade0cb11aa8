import { z } from "zod";
import type { Database } from "./client.ts";
import { countedSql } from "./countedSql.ts";
import { readRows } from "./readRows.ts";
import { readCells, type RunScope } from "./runs.ts";
import { withShortLabels } from "#server/domain/sweep/labelTitles.ts";

const Row = z.object({
  cellId: z.number(),
  method: z.string(),
  label: z.string(),
  sweepName: z.string(),
  key: z.string(),
  finals: z.array(z.number()),
});

/** What a pinned configuration came to in one metric: the mean of its runs' final values, as the table of runs has them. */
export type Reference = Omit<z.infer<typeof Row>, "finals"> & { value: number; numRuns: number };

/**
 * The baselines of the sweeps that a scope has runs of, where they act in an environment of its: the pinned ones, or the cell that a
 * reader chose.
 */
export async function readReferences(
  database: Database,
  scope: RunScope,
  { keys, cellId }: { keys: readonly string[]; cellId?: number | undefined },
): Promise<Reference[]> {
  const cells = await readCells(database, scope);
  const rows = await readRows(database.pool, Row, {
    sql: `SELECT c.id AS "cellId", c.method, c.label, s.name AS "sweepName", n.key, array_agg(m.final ORDER BY r.seed, r.id) AS finals
     FROM sweep s JOIN cell c ON c.sweep_id = s.id AND CASE WHEN $4::int IS NULL THEN c.index = s.baseline_cell ELSE c.id = $4 END
       JOIN run r ON r.cell_id = c.id AND ${countedSql("r")}
       JOIN metric_summary m ON m.run_id = r.id AND m.final IS NOT NULL
       JOIN metric_name n ON n.id = m.metric_id AND n.key = ANY($3)
     WHERE s.id = ANY($1) AND c.spec->'environment'->>'id' = ANY($2)
     GROUP BY c.id, s.id, n.key ORDER BY s.created_at, s.id, n.key`,
    values: [
      [...new Set(cells.map(({ sweepId }) => sweepId))],
      [...new Set(cells.map(({ environment }) => environment))],
      keys,
      cellId ?? null,
    ],
  });
  return withShortLabels(rows).map(({ finals, ...row }) => {
    const value = finals.reduce((sum, final) => sum + final / finals.length, 0);
    return { ...row, value, numRuns: finals.length };
  });
}
