import { environmentSql } from "../plan/cells.ts";
import { z } from "zod";
import type { Database } from "../storage/client.ts";
import { countedSql } from "../storage/sql.ts";
import { readRows } from "../storage/readRows.ts";
import { readCells, type RunScope } from "./runs.ts";
import { withShortLabels } from "#server/domain/plan/sweep/labels/labelTitles.ts";

const Row = z.object({
  cellId: z.number(),
  method: z.string(),
  label: z.string(),
  environment: z.string(),
  sweepName: z.string(),
  key: z.string(),
  finals: z.array(z.number()),
});

/** Baseline cell and its result in one metric: mean of its runs' final values, as in the table of runs. */
export type Reference = Omit<z.infer<typeof Row>, "finals"> & { value: number; numRuns: number };

/**
 * Reads the stored or chosen baselines. In other environments, the cell with equal method and label is the baseline.
 */
export async function readReferences(
  database: Database,
  scope: RunScope,
  { keys, cellId }: { keys: readonly string[]; cellId?: number | undefined },
): Promise<Reference[]> {
  const cells = await readCells(database, scope);
  const rows = await readRows(database.pool, Row, {
    sql: `SELECT c.id AS "cellId", c.method, c.label, ${environmentSql("c.spec")} AS environment, t.name AS "sweepName", n.key,
       array_agg(m.final ORDER BY r.seed, r.id) AS finals
     FROM sweep s JOIN cell b ON b.sweep_id = s.id AND CASE WHEN $4::int IS NULL THEN b.index = s.baseline_cell ELSE b.id = $4 END
       JOIN cell c ON c.id = b.id OR c.method = b.method AND c.label = b.label
         AND ${environmentSql("c.spec")} <> ${environmentSql("b.spec")}
         AND (c.sweep_id = b.sweep_id OR $4 IS NOT NULL AND c.sweep_id = ANY($1))
       JOIN sweep t ON t.id = c.sweep_id
       JOIN run r ON r.cell_id = c.id AND ${countedSql("r")}
       JOIN metric_summary m ON m.run_id = r.id AND m.final IS NOT NULL
       JOIN metric_name n ON n.id = m.metric_id AND n.key = ANY($3)
     WHERE s.id = ANY($1) AND ${environmentSql("c.spec")} = ANY($2)
     GROUP BY c.id, t.id, n.key ORDER BY t.created_at, t.id, c.index, n.key`,
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
