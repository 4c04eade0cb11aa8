import { z } from "zod";
import type { Pool, PoolClient } from "pg";
import { kindsOf } from "#packages/detector";
import { groupBy } from "#packages/base";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { originOf } from "#trainer/spec/origin.ts";
import { nameArm, type Precedent } from "#server/domain/analysis/rescue.ts";
import { isImported } from "#server/domain/plan/sweep/isImported.ts";
import { parseStoredSpec } from "#server/domain/plan/sweep/storedSpec.ts";
import { readRows } from "../storage/readRows.ts";
import { countedSql, overSql } from "../storage/sql.ts";

const Measured = z.object({
  sweepId: z.string(),
  method: z.string(),
  spec: z.unknown(),
  numJudged: z.int(),
  numKept: z.int(),
});

/** Maximum distance in iterations between a branch's start and the first alarm of its origin. */
const nearby = 5;
/** Maximum number of branch cells that are read, newest first: parsing more would delay the alerts. */
const maxCells = 200;

const judgedKinds = kindsOf(/^(collapsed|healthy|dip)/);
const keptKinds = kindsOf(/^(healthy|dip)/);

/** Counts, for each changed setting, labelled and not collapsed branches of similar runs, near their first alarm. */
export async function readPrecedents(pool: Pool | PoolClient, runId: string): Promise<Precedent[]> {
  const rows = await readRows(pool, Measured, {
    sql: `WITH own AS (
       SELECT c.spec->'method' AS method, c.spec->'environment'->>'id' AS environment
       FROM run r JOIN cell c ON c.id = r.cell_id WHERE r.id = $1)
     SELECT c.sweep_id AS "sweepId", c.method, c.spec,
       count(*) FILTER (WHERE d.hindsight->'label'->>'kind' = ANY($2))::int AS "numJudged",
       count(*) FILTER (WHERE d.hindsight->'label'->>'kind' = ANY($3))::int AS "numKept"
     FROM own JOIN cell c ON c.spec->'environment'->>'id' = own.environment
       JOIN run r ON r.cell_id = c.id JOIN detection d ON d.run_id = r.id
       JOIN detection o ON o.run_id = c.spec->'initialisation'->>'run'
     WHERE c.spec->'initialisation' ? 'run' AND c.spec->'initialisation'->>'kind' = 'branch'
       AND c.spec->'initialisation'->'origin'->'method' = own.method AND ${overSql("r")} AND ${countedSql("r")}
       AND abs(o.alarm_at - (c.spec->'initialisation'->>'iteration')::int) <= $4
     GROUP BY c.id ORDER BY c.id DESC LIMIT $5`,
    values: [runId, judgedKinds, keptKinds, nearby, maxCells],
  });
  const cells = rows.flatMap(({ spec: stored, ...row }) => {
    const spec = parseStoredSpec(stored);
    const origin = isImported(spec) ? undefined : originOf(spec);
    return origin && !isImported(spec) ? [{ ...row, spec, origin: origin.spec }] : [];
  });
  const isSame = ({ spec, origin }: (typeof cells)[number]) =>
    canonicalJson(spec.method) === canonicalJson(origin.method);
  return [...groupBy(cells, ({ sweepId }) => sweepId).values()].flatMap((own) => {
    const originMethod = own.find(isSame)?.method;
    return own.map(({ sweepId, method, spec, origin, numJudged, numKept }) => {
      return { sweepId, arm: nameArm(spec, { method, origin, originMethod }), numJudged, numKept };
    });
  });
}
