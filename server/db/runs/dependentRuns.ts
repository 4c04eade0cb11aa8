import { z } from "zod";
import {
  countLeftOut,
  dependenceOf,
  type Dependence,
  type DependentChoice,
  type EqualChoice,
  type LeftOut,
} from "#server/domain/plan/sweep/dependence.ts";
import type { Pool } from "../storage/client.ts";
import { readRows } from "../storage/readRows.ts";
import { findRepeats } from "./equalRuns.ts";

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

/** Runs that an analysis does not count, and their numbers; null if it counts all of them. */
type Omission = { isLeftOut: (runId: string) => boolean; leftOut: LeftOut | null };

type Counting = { dependent?: DependentChoice | undefined; equal?: EqualChoice | undefined };

/** Every analysis calls this function for the runs that its user chose. */
export async function findLeftOut(
  pool: Pool,
  runIds: readonly string[],
  { dependent, equal: choice }: Counting = {},
): Promise<Omission> {
  const dependences = dependent === "added" ? new Map<string, Dependence>() : await readDependences(pool, runIds);
  const counts = countLeftOut([...dependences.values()], { numRuns: new Set(runIds).size, choice: dependent });
  const isDependent = (runId: string) => counts !== null && dependences.has(runId);
  const others = runIds.filter((id) => !isDependent(id));
  const { repeats, equal } = choice === "counted" ? noRepeats : await findRepeats(pool, others);
  const none = { numBranches: 0, numOrigins: 0, numStarts: 0, numTrials: 0 };
  return {
    leftOut: counts || equal.length > 0 ? { ...(counts ?? none), numEqual: repeats.size, equal } : null,
    isLeftOut: (runId) => isDependent(runId) || repeats.has(runId),
  };
}

const noRepeats = { repeats: new Set<string>(), equal: [] };
