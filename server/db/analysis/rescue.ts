import { z } from "zod";
import type { Pool, PoolClient } from "pg";
import { Hindsight, toOutcome } from "#packages/detector";
import { groupBy } from "#packages/base";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { originOf } from "#trainer/spec/origin.ts";
import { judgeBranch } from "#server/domain/analysis/rescue/branchOutcome.ts";
import type { Precedent } from "#server/domain/analysis/rescue/precedents.ts";
import { nameArm } from "#server/domain/analysis/rescue/rescueArms.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { describeOthers, isSimilar } from "#server/domain/analysis/rescue/similar.ts";
import { parseStoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { readRows } from "../storage/readRows.ts";
import { countedSql, overSql } from "../storage/sql.ts";
import { readUndetected } from "./detections.ts";

const label = Hindsight.shape.label.pick({ kind: true, collapseStep: true }).nullable();
const Measured = z.object({
  sweepId: z.string(),
  method: z.string(),
  spec: z.unknown(),
  asking: z.unknown(),
  originLabel: label,
  branches: z.array(z.object({ runId: z.string(), continuation: z.int(), label })),
});

/** Maximum distance in iterations between a branch's start and the first alarm of its origin. */
const nearby = 5;
/** Maximum number of branch cells that are read, newest first: parsing more would delay the alerts. */
const maxCells = 200;
const maxAwaited = 100_000;

/**
 * Reads the finished branches of similar runs that began near the first alarm, with their outcomes. Runs are similar if
 * they differ in nothing but seed, budget and execution.
 */
export async function readPrecedents(pool: Pool | PoolClient, chosenId: string): Promise<Precedent[]> {
  const rows = await readRows(pool, Measured, {
    sql: `WITH own AS (
       SELECT c.spec, c.spec->'method' AS method, c.spec->'environment' AS environment
       FROM run r JOIN cell c ON c.id = r.cell_id WHERE r.id = $1)
     SELECT c.sweep_id AS "sweepId", c.method, c.spec, own.spec AS asking, o.hindsight->'label' AS "originLabel",
       jsonb_agg(jsonb_build_object('runId', r.id, 'continuation', r.seed, 'label', d.hindsight->'label')
         ORDER BY r.seed) AS branches
     FROM own JOIN cell c ON c.spec->'environment'->>'id' = own.environment->>'id'
       JOIN run r ON r.cell_id = c.id LEFT JOIN detection d ON d.run_id = r.id AND d.num_steps > 0
       JOIN detection o ON o.run_id = c.spec->'initialisation'->>'run'
     WHERE c.spec->'initialisation' ? 'run' AND c.spec->'initialisation'->>'kind' = 'branch'
       AND c.spec->'initialisation'->'origin'->'method' = own.method AND ${overSql("r")} AND ${countedSql("r")}
       AND abs(o.alarm_at - (c.spec->'initialisation'->>'iteration')::int) <= $2
     GROUP BY c.id, o.run_id, own.spec, own.environment
     ORDER BY c.spec->'environment' = own.environment DESC, c.id DESC LIMIT $3`,
    values: [chosenId, nearby, maxCells],
  });
  const [first] = rows;
  const asking = first && parseStoredSpec(first.asking);
  // Each of a large sweep's alarms is looked up, so the whole studio's runs are read only where there are branches.
  if (!asking || isImported(asking)) return [];
  const cells = rows.flatMap(({ spec: stored, ...row }) => {
    const spec = parseStoredSpec(stored);
    const origin = isImported(spec) ? undefined : originOf(spec);
    if (isImported(spec) || !origin || !isSimilar(asking, origin.spec)) return [];
    return [{ ...row, spec, origin, differences: describeOthers(asking, origin.spec) }];
  });
  if (cells.length === 0) return [];
  const awaited = new Set(await readUndetected(pool, maxAwaited));
  const isSame = ({ spec, origin }: (typeof cells)[number]) =>
    canonicalJson(spec.method) === canonicalJson(origin.spec.method);
  return [...groupBy(cells, ({ sweepId }) => sweepId).values()].flatMap((own) => {
    const originMethod = own.find(isSame)?.method;
    return own.flatMap(({ sweepId, method, spec, origin, originLabel, branches, differences }) => {
      const { run, iteration } = origin;
      const place = {
        sweepId,
        origin: run,
        iteration,
        differences,
        arm: nameArm(spec, { method, origin: origin.spec, originMethod }),
      };
      return branches.map(({ runId, continuation, ...branch }): Precedent => {
        const known = toOutcome(awaited.has(runId) ? null : branch.label, awaited.has(runId));
        const ofOrigin = awaited.has(run) || originLabel !== null ? toOutcome(originLabel, true) : undefined;
        const outcome = judgeBranch(known, ofOrigin, iteration);
        return { ...place, continuation, outcome };
      });
    });
  });
}
