import type { Pool } from "pg";
import { z } from "zod";
import { Hindsight, isCollapse, withRates } from "#packages/detector";
import type { Diagnosis } from "#server/domain/analysis/diagnosis/causes.ts";
import { diagnose, diagnoseAlarm } from "#server/domain/analysis/diagnosis/diagnose.ts";
import { diagnosedKeys } from "#server/domain/analysis/diagnosis/rules.ts";
import { parseStoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { readLoggedPointsOf } from "./points.ts";
import { readRows } from "../storage/readRows.ts";

const Judged = z.object({
  runId: z.string(),
  spec: z.unknown(),
  label: Hindsight.shape.label.nullable(),
  alarmAt: z.int().nullable(),
});

/**
 * Diagnoses the runs that collapsed in hindsight or, without a label yet, had an alarm (unstable or worse). Other runs
 * are left out.
 */
export async function readDiagnoses(pool: Pool, runIds: readonly string[]): Promise<ReadonlyMap<string, Diagnosis>> {
  const rows = await readRows(pool, Judged, {
    sql: `SELECT r.id AS "runId", c.spec, d.hindsight->'label' AS label, d.alarm_at AS "alarmAt"
     FROM run r JOIN cell c ON c.id = r.cell_id JOIN detection d ON d.run_id = r.id
     WHERE r.id = ANY($1) AND (d.hindsight IS NOT NULL OR d.alarm IN ('unstable', 'collapsed'))`,
    values: [runIds],
  });
  const asked = rows.filter(({ label }) => label === null || isCollapse(label));
  if (asked.length === 0) return new Map();
  const ids = asked.map(({ runId }) => runId);
  const pointsOf = await readLoggedPointsOf(pool, ids, diagnosedKeys);
  return new Map(
    asked.flatMap(({ runId, spec: stored, label, alarmAt }) => {
      const about = { points: withRates(pointsOf.get(runId) ?? []), spec: parseStoredSpec(stored) };
      const found = label
        ? diagnose({ ...about, label })
        : alarmAt === null
          ? undefined
          : diagnoseAlarm({ ...about, at: alarmAt });
      return found ? [[runId, found]] : [];
    }),
  );
}
