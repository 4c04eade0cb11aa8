import { z } from "zod";
import type { CellSpec } from "#trainer/spec/run.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { parseRunStatus } from "#server/domain/runs/runStatus.ts";
import { parseStoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import type { Pooled } from "../storage/client.ts";
import { readColumn, readRows } from "../storage/readRows.ts";
import { countedSql } from "../storage/sql.ts";

const Branch = z.object({
  id: z.string(),
  sweepId: z.string(),
  seed: z.int(),
  method: z.string(),
  status: z.string().transform(parseRunStatus),
  latestIteration: z.int(),
  spec: z.unknown(),
});
type Branch = Omit<z.infer<typeof Branch>, "spec"> & { spec: CellSpec };

/** Reads the runs that branched from one run, or all branch runs of some sweeps, ordered by sweep and cell. */
export async function readBranches(
  { pool }: Pooled,
  scope: { runId: string } | { sweepIds: readonly string[] },
): Promise<Branch[]> {
  const [where, value] =
    "runId" in scope
      ? ["c.spec->'initialisation'->>'run' = $1", scope.runId]
      : ["r.sweep_id = ANY($1)", scope.sweepIds];
  // The condition `? 'run'` equals that of a partial index on the table `cell`, so PostgreSQL can use the index.
  const rows = await readRows(pool, Branch, {
    sql: `SELECT r.id, r.sweep_id AS "sweepId", r.seed, c.method, r.status, r.latest_iteration AS "latestIteration", c.spec
     FROM cell c JOIN run r ON r.cell_id = c.id JOIN sweep s ON s.id = r.sweep_id
     WHERE c.spec->'initialisation' ? 'run' AND ${where}
       AND c.spec->'initialisation'->>'kind' = 'branch' AND ${countedSql("r")}
     ORDER BY s.created_at, c."index", r.seed`,
    values: [value],
  });
  return rows.flatMap(({ spec: stored, ...row }): Branch[] => {
    const spec = parseStoredSpec(stored);
    return isImported(spec) ? [] : [{ ...row, spec }];
  });
}

/** Finds branch sweeps: those among the given sweeps, and those whose branches continue runs of the given sweeps. */
export async function findBranchSweeps({ pool }: Pooled, sweepIds: readonly string[]): Promise<string[]> {
  return readColumn(pool, z.string(), {
    sql: `SELECT s.id FROM sweep s WHERE EXISTS (
       SELECT FROM cell c WHERE c.sweep_id = s.id AND c.spec->'initialisation' ? 'run'
         AND c.spec->'initialisation'->>'kind' = 'branch'
         AND (s.id = ANY($1) OR c.spec->'initialisation'->>'run' IN (SELECT id FROM run WHERE sweep_id = ANY($1))))
     ORDER BY s.created_at, s.id`,
    values: [sweepIds],
  });
}
