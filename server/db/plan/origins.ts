import { z } from "zod";
import { AppError, badInput } from "#packages/base";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import type { OriginRun } from "#server/domain/plan/sweep/branchPlan.ts";
import { checkPlan, type SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { parseStoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import type { Database, Pooled } from "../storage/client.ts";
import type { Pool, PoolClient } from "pg";
import { readColumn, readRows } from "../storage/readRows.ts";
import { overSql } from "../storage/sql.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import { RunSpec } from "#trainer/spec/run.ts";

/** Reads a run as origin of others. Throws `not_found`, or `bad_input` for a run that the studio did not launch. */
export async function readOrigin({ prisma }: Pick<Database, "prisma">, id: string): Promise<OriginRun> {
  const run = await prisma.run.findUnique({ where: { id }, select: { seed: true, cell: true } });
  if (!run) throw new AppError("not_found", `there is no run ${id}`);
  const spec = parseStoredSpec(run.cell.spec);
  if (!isImported(spec)) return { id, method: run.cell.method, spec: { ...spec, v: 1, seed: run.seed } };
  const message = `${id} was not launched by this studio, which has no checkpoints of it; begin from a run of a sweep`;
  throw badInput([{ path: "initialisation.run", message }]);
}

/**
 * Completes a plan of branches that only names the run from which they start: adds that run's specification.
 * @throws `bad_input` if the plan includes the specification of another run than the one that it names.
 */
export async function fillOrigin(database: Pick<Database, "prisma">, plan: SweepPlan): Promise<SweepPlan> {
  const { initialisation } = plan.base;
  if (initialisation?.kind !== "branch" && initialisation?.kind !== "run") return plan;
  const { run, origin } = initialisation;
  if (origin !== undefined) {
    await refuseOtherOrigin(database, run, RunSpec.parse(origin));
    return plan;
  }
  const { spec } = await readOrigin(database, run);
  return checkPlan({ ...plan, base: { ...plan.base, initialisation: { ...initialisation, origin: spec } } });
}

/** A plan from another studio may name a run that is not here, so only stored runs are compared. */
async function refuseOtherOrigin({ prisma }: Pick<Database, "prisma">, run: string, given: RunSpec): Promise<void> {
  if ((await prisma.run.count({ where: { id: run } })) === 0) return;
  const { spec } = await readOrigin({ prisma }, run);
  const stored = new Map<string, unknown>(Object.entries(RunSpec.parse(spec)));
  const settings = new Map<string, unknown>(Object.entries(given));
  const hashAt = (of: ReadonlyMap<string, unknown>, name: string) => contentHash(of.get(name) ?? null);
  const other = [...new Set([...stored.keys(), ...settings.keys()])].filter(
    (name) => hashAt(stored, name) !== hashAt(settings, name),
  );
  if (other.length === 0) return;
  const { v: _, seed, ...cell } = given;
  const theirs = await prisma.run.findFirst({ where: { seed, cell: { specHash: contentHash(cell) } } });
  const message = `is the specification of ${theirs?.id ?? "another run"}, but base.initialisation.run names ${run} (different: ${other.join(", ")}); remove origin to begin from ${run}`;
  throw badInput([{ path: "base.initialisation.origin", message }]);
}

const Attempt = z.object({ folder: z.string(), isHere: z.boolean() });

export function readOriginAttempts({ pool }: Pooled, runId: string): Promise<z.infer<typeof Attempt>[]> {
  return readRows(pool, Attempt, {
    sql: `SELECT a.folder, coalesce(n.config->>'kind' IN ('local', 'slurm'), a.node = 'local') AS "isHere"
      FROM attempt a LEFT JOIN node_sighting n ON n.name = a.node WHERE a.run_id = $1 ORDER BY a.number`,
    values: [runId],
  });
}

const End = z.object({ run: z.string(), status: z.string(), iteration: z.int() });

/** Reads the last iteration of those runs that have ended. */
export async function readReached({ pool }: Pooled, runIds: readonly string[]) {
  const ends = await readRows(pool, End, {
    sql: `SELECT id AS run, status, latest_iteration AS iteration FROM run WHERE id = ANY($1) AND ${overSql("run")}`,
    values: [runIds],
  });
  return new Map(ends.map((end) => [end.run, end]));
}

const Line = z.object({ run: z.string(), origin: z.string(), upTo: z.number(), isElsewhere: z.boolean() });
type Line = z.infer<typeof Line>;

/** Cache of the ancestors of each branched run. Specifications never change, so the ancestors are looked up once. */
const knownLines = new WeakMap<Pool, Map<string, Line[]>>();

/**
 * Reads the ancestors that each branched run continues, nearest first. `upTo`: their last iteration that counts.
 * `isElsewhere`: the branch from this ancestor trains in another environment.
 */
export async function readLines(pool: Pool, runIds: readonly string[]): Promise<Line[]> {
  const known = knownLines.get(pool) ?? new Map<string, Line[]>();
  knownLines.set(pool, known);
  const unknown = runIds.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    const found = await findLines(pool, unknown);
    for (const id of unknown) known.set(id, []);
    for (const line of found) known.get(line.run)?.push(line);
  }
  return runIds.flatMap((id) => known.get(id) ?? []);
}

/**
 * Returns the runs that branched from these, from those, and so on; of the given runs themselves, only those listed
 * before a run that they continue.
 */
export function readBranchesOf(pool: Pool | PoolClient, runIds: readonly string[]): Promise<string[]> {
  return readColumn(pool, z.string(), {
    sql: `WITH RECURSIVE line AS (
       SELECT id, at, 0 AS depth FROM unnest($1::text[]) WITH ORDINALITY AS given(id, at)
       UNION SELECT r.id, at, depth + 1 FROM line JOIN cell c ON c.spec->'initialisation'->>'run' = line.id
         JOIN run r ON r.cell_id = c.id
       WHERE c.spec->'initialisation' ? 'run' AND depth < 100
     ) SELECT DISTINCT id FROM line WHERE depth > 0 AND coalesce(array_position($1, id), 0) < at`,
    values: [runIds],
  });
}

function findLines(pool: Pool, runIds: readonly string[]): Promise<Line[]> {
  const origin = `c.spec->'initialisation'->>'run' AS origin, (c.spec->'initialisation'->>'iteration')::int AS up_to,
    ${trainedInSql("c.spec")} IS DISTINCT FROM ${trainedInSql("coalesce(c.spec->'initialisation'->'origin', c.spec)")} AS is_elsewhere`;
  const isBranch = "c.spec->'initialisation'->>'kind' = 'branch'";
  return readRows(pool, Line, {
    sql: `WITH RECURSIVE line AS (
        SELECT r.id AS run, ${origin}, 1 AS depth
        FROM run r JOIN cell c ON c.id = r.cell_id WHERE r.id = ANY($1) AND ${isBranch}
        UNION ALL
        SELECT line.run, ${origin}, depth + 1
        FROM line JOIN run r ON r.id = line.origin JOIN cell c ON c.id = r.cell_id WHERE ${isBranch} AND depth < 100
      ) SELECT run, origin, min(up_to) OVER (PARTITION BY run ORDER BY depth) AS "upTo", is_elsewhere AS "isElsewhere"
      FROM line ORDER BY run, depth`,
    values: [runIds],
  });
}

/** SQL for a specification's environment; for a curriculum its phases' environments, whenever they switch. */
function trainedInSql(spec: string): string {
  const environment = `(${spec})->'environment'`;
  return `CASE WHEN ${environment}->>'id' = 'curriculum'
    THEN jsonb_path_query_array(${environment}, '$.phases[*].environment') ELSE ${environment} END`;
}

const Relative = z.object({
  id: z.string(),
  from: z.string().nullable(),
  iteration: z.number().nullable(),
  kind: z.enum(["branch", "run"]).nullable(),
  seed: z.number(),
  method: z.string(),
  label: z.string(),
  sweepId: z.string(),
  sweepName: z.string(),
  status: z.string(),
});
/** Run of a family: runs that are connected by branching. */
export type Relative = z.infer<typeof Relative>;

const maxRelatives = 200;

/** Reads the family of a run, oldest first: its ancestors, and all runs that branched from it or from them. */
export async function readFamily({ pool }: Pooled, id: string): Promise<Relative[]> {
  // With this condition, PostgreSQL can use the partial index on the table `cell`.
  const began = `c.spec->'initialisation' ? 'run'`;
  return readRows(pool, Relative, {
    sql: `WITH RECURSIVE line AS (
        SELECT r.id, c.spec->'initialisation'->>'run' AS origin FROM run r JOIN cell c ON c.id = r.cell_id WHERE r.id = $1
        UNION
        SELECT r.id, c.spec->'initialisation'->>'run' FROM line JOIN run r ON r.id = line.origin JOIN cell c ON c.id = r.cell_id
      ), family AS (
        SELECT id FROM line
        UNION
        SELECT r.id FROM family JOIN cell c ON ${began} AND c.spec->'initialisation'->>'run' = family.id
          JOIN run r ON r.cell_id = c.id
      )
      SELECT r.id, c.spec->'initialisation'->>'run' AS "from", (c.spec->'initialisation'->>'iteration')::int AS iteration,
        CASE WHEN ${began} THEN c.spec->'initialisation'->>'kind' END AS kind, r.seed, c.method, c.label,
        s.id AS "sweepId", s.name AS "sweepName", r.status
      FROM family JOIN run r ON r.id = family.id JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = r.sweep_id
      ORDER BY r.created_at, c."index", r.seed LIMIT ${maxRelatives}`,
    values: [id],
  });
}
