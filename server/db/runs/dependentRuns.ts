import { z } from "zod";
import {
  choices,
  countChoices,
  type DependentCounting,
  type EqualChoice,
  isDependent,
  leavesOut,
  type LeftOut,
} from "#server/domain/plan/sweep/dependence.ts";
import { countLooks } from "#server/domain/runs/looks.ts";
import type { Pool } from "../storage/client.ts";
import { readColumn, readRows } from "../storage/readRows.ts";
import { choiceOfCellSql } from "./choice.ts";
import { findRepeats } from "./equalRuns.ts";

const Chosen = z.object({
  choice: z.enum(choices),
  origin: z.string().nullable(),
  hasOriginCollapsed: z.boolean(),
  runIds: z.array(z.string()),
});

/** Reads how each of these runs was chosen. */
async function readChoices(pool: Pool, runIds: readonly string[]) {
  // Runs are grouped by cell first, because reading a cell's stored specification takes longer than a row.
  const rows = await readRows(pool, Chosen, {
    sql: `SELECT coalesce(${choiceOfCellSql}, CASE WHEN own.is_added THEN 'added seed' ELSE 'plan' END) AS choice,
       c.spec->'initialisation'->>'run' AS origin,
       coalesce((SELECT hindsight->'label'->>'kind' IN ('collapseTerminal', 'collapseRecovered', 'nonFinite')
         FROM detection WHERE run_id = c.spec->'initialisation'->>'run'), false) AS "hasOriginCollapsed", own.ids AS "runIds"
     FROM (SELECT cell_id, added_at IS NOT NULL AS is_added, array_agg(id) AS ids FROM run WHERE id = ANY($1) GROUP BY 1, 2) AS own
       JOIN cell c ON c.id = own.cell_id JOIN sweep s ON s.id = c.sweep_id`,
    values: [runIds],
  });
  return new Map(rows.flatMap(({ runIds: ids, ...chosen }) => ids.map((id) => [id, chosen] as const)));
}

/**
 * Finds the branches that measure one run again with equal settings: all but the first from each origin, after the
 * origin itself. Continuation 0 is the last, because unchanged it is the recorded run.
 */
async function readRepeated(pool: Pool, runIds: readonly string[]): Promise<ReadonlySet<string>> {
  const ids = await readColumn(pool, z.string(), {
    sql: `SELECT id FROM (
       SELECT r.id, c.spec->'initialisation'->>'kind' = 'branch' AS is_branch, row_number() OVER (
         PARTITION BY CASE c.spec->'initialisation'->>'kind' WHEN 'branch' THEN c.spec->'initialisation'->>'run' ELSE r.id END,
           c.spec - 'initialisation'
         ORDER BY c.spec->'initialisation'->>'kind' = 'branch', r.seed = 0, (c.spec->'initialisation'->>'iteration')::int, r.seed, r.id COLLATE "C"
       ) AS place FROM run r JOIN cell c ON c.id = r.cell_id WHERE r.id = ANY($1)) AS placed
     WHERE is_branch AND place > 1`,
    values: [runIds],
  });
  return new Set(ids);
}

const Drawn = z.object({ addedAt: z.date().nullable(), startedAt: z.date().nullable() });

async function readDrawn(pool: Pool, runIds: readonly string[]) {
  return readRows(pool, Drawn, {
    sql: `SELECT DISTINCT added_at AS "addedAt", started_at AS "startedAt" FROM run WHERE id = ANY($1)`,
    values: [runIds],
  });
}

const SweepRow = z.object({ sweepId: z.string(), choice: z.enum(choices) });

/** Finds the sweeps, among the given ones, whose runs all depend on earlier results. */
export async function findDependentSweeps(pool: Pool, sweepIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await readRows(pool, SweepRow, {
    sql: `SELECT DISTINCT c.sweep_id AS "sweepId", coalesce(${choiceOfCellSql}, 'plan') AS choice
     FROM cell c JOIN sweep s ON s.id = c.sweep_id WHERE s.id = ANY($1)`,
    values: [sweepIds],
  });
  const independent = new Set(rows.filter((row) => !isDependent(row)).map(({ sweepId }) => sweepId));
  return new Set(rows.map(({ sweepId }) => sweepId).filter((id) => !independent.has(id)));
}

/** Runs that an analysis does not count, and their numbers; null if it counts all, and all are drawn from plans. */
type Omission = { isLeftOut: (runId: string) => boolean; leftOut: LeftOut | null };

export type Counting = {
  dependent?: DependentCounting | undefined;
  equal?: EqualChoice | undefined;
  /** True for analyses that test methods: without other runs, branches of one run with equal settings count once. */
  isOfMethods?: boolean | undefined;
};

/** Every analysis calls this function for the runs that its user chose. */
export async function findLeftOut(
  pool: Pool,
  runIds: readonly string[],
  { dependent, equal: choice, isOfMethods = false }: Counting = {},
): Promise<Omission> {
  // If every run counts, no choice is read, and nothing is said about it.
  const chosen = dependent === "every" ? noChoices : await readChoices(pool, runIds);
  const runs = [...chosen.values()];
  const areLeft = leavesOut(runs, dependent);
  const isOnce = dependent === "added" || dependent === "once" || (isOfMethods && dependent !== "every" && !areLeft);
  const repeated = isOnce && runs.some(isDependent) ? await readRepeated(pool, runIds) : noRuns;
  const isOmitted = (runId: string) => {
    const run = chosen.get(runId);
    return (areLeft && run !== undefined && isDependent(run)) || repeated.has(runId);
  };
  const others = runIds.filter((id) => !isOmitted(id));
  const { repeats, equal } = choice === "counted" ? noRepeats : await findRepeats(pool, others);
  const counted = runIds.filter((id) => chosen.get(id)?.choice === "added seed" || chosen.get(id)?.choice === "plan");
  const numLooks = runs.some(({ choice: of }) => of === "added seed") ? countLooks(await readDrawn(pool, counted)) : 1;
  const counts = countChoices({ runs, dependent, numRepeated: repeated.size, numLooks });
  const none = { numBranches: 0, numOrigins: 0, numCollapsed: 0, numStarts: 0, numTrials: 0, included: null };
  return {
    leftOut: counts || equal.length > 0 ? { ...(counts ?? none), numEqual: repeats.size, equal } : null,
    isLeftOut: (runId) => isOmitted(runId) || repeats.has(runId),
  };
}

const noChoices: Awaited<ReturnType<typeof readChoices>> = new Map();
const noRuns: ReadonlySet<string> = new Set();
const noRepeats = { repeats: new Set<string>(), equal: [] };
