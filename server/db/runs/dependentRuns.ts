import { z } from "zod";
import {
  countLeftOut,
  dependenceOf,
  type Dependence,
  type DependentChoice,
  type LeftOut,
} from "#server/domain/plan/sweep/dependence.ts";
import type { Pool } from "../storage/client.ts";
import { readRows } from "../storage/readRows.ts";

const Row = z.object({
  sweepId: z.string(),
  kind: z.string().nullable(),
  run: z.string().nullable(),
  isOfSearch: z.boolean(),
  runIds: z.array(z.string()),
});

const factsSql = `c.sweep_id AS "sweepId", c.spec->'initialisation'->>'kind' AS kind,
  c.spec->'initialisation'->>'run' AS run, s.plan ? 'search' AS "isOfSearch"`;

function decide({ kind, run, isOfSearch }: z.infer<typeof Row>): Dependence | undefined {
  return dependenceOf({ initialisation: { kind: kind ?? "", run }, isOfSearch });
}

/** Reads which of these runs depend on earlier results. Independent runs have no entry. */
async function readDependences(pool: Pool, runIds: readonly string[]): Promise<Map<string, Dependence>> {
  // Runs are grouped by cell first, because reading a cell's stored specification takes longer than a row.
  const rows = await readRows(pool, Row, {
    sql: `SELECT ${factsSql}, own.ids AS "runIds"
     FROM (SELECT cell_id, array_agg(id) AS ids FROM run WHERE id = ANY($1) GROUP BY cell_id) AS own
       JOIN cell c ON c.id = own.cell_id JOIN sweep s ON s.id = c.sweep_id`,
    values: [runIds],
  });
  return new Map(
    rows.flatMap((row) => {
      const found = decide(row);
      return found ? row.runIds.map((id): [string, Dependence] => [id, found]) : [];
    }),
  );
}

/** Finds the sweeps, among the given ones, whose runs all depend on earlier results. */
export async function findDependentSweeps(pool: Pool, sweepIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await readRows(pool, Row, {
    sql: `SELECT DISTINCT ${factsSql}, '{}'::text[] AS "runIds"
     FROM cell c JOIN sweep s ON s.id = c.sweep_id WHERE s.id = ANY($1)`,
    values: [sweepIds],
  });
  const independent = new Set(rows.filter((row) => decide(row) === undefined).map(({ sweepId }) => sweepId));
  return new Set(rows.map(({ sweepId }) => sweepId).filter((id) => !independent.has(id)));
}

/** Runs that an analysis of methods does not count, and their numbers; null if it counts all of them. */
type Omission = { isLeftOut: (runId: string) => boolean; leftOut: LeftOut | null };

/** Every analysis of methods calls this function for the runs that its user chose. */
export async function findLeftOut(pool: Pool, runIds: readonly string[], choice?: DependentChoice): Promise<Omission> {
  const dependences = choice === "added" ? new Map<string, Dependence>() : await readDependences(pool, runIds);
  const leftOut = countLeftOut([...dependences.values()], { numRuns: new Set(runIds).size, choice });
  return { leftOut, isLeftOut: (runId) => leftOut !== null && dependences.has(runId) };
}
