import type { Pool } from "pg";
import { z } from "zod";
import { AppError } from "#packages/base";
import { countedSql } from "../storage/sql.ts";
import { readColumn, readRows } from "../storage/readRows.ts";
import { eventKinds, severities, type Evidence } from "#packages/detector";
import { fromMetricValue, MetricValue, toMetricValue } from "#trainer/spec/event.ts";
import { withShortLabels } from "#server/domain/plan/sweep/labels/labelTitles.ts";

export const verdicts = ["confirmed", "rejected"] as const;
export type Verdict = (typeof verdicts)[number];

/** Prepares an event's evidence for storage as JSON, which cannot represent NaN and infinities: they become words. */
export function toStoredEvidence(evidence: Evidence): unknown {
  return JSON.parse(
    JSON.stringify(evidence, (_, value: unknown) => (typeof value === "number" ? toMetricValue(value) : value)),
  );
}

const Numbers = z.record(
  z.string(),
  MetricValue.nullable().transform((x) => (x === null ? null : fromMetricValue(x))),
);

const StoredEvidence = z.object({
  from: z.int(),
  to: z.int(),
  groups: z.record(z.string(), z.number()),
  channels: z.record(z.string(), Numbers),
  performance: z.record(z.string(), Numbers),
  remarks: z.array(z.string()),
});

const StoredEvent = z.object({
  id: z.int(),
  runId: z.string(),
  sweepId: z.string(),
  attempt: z.int(),
  method: z.string(),
  label: z.string(),
  seed: z.int(),
  iteration: z.int(),
  kind: z.enum(eventKinds),
  severity: z.enum(severities),
  detectorVersion: z.string(),
  message: z.string(),
  evidence: StoredEvidence,
  verdict: z.enum(verdicts).nullable(),
  note: z.string(),
  createdAt: z.date(),
});
export type CollapseEventRow = z.infer<typeof StoredEvent>;

const selected = `SELECT e.id, e.run_id AS "runId", r.sweep_id AS "sweepId", a.number AS attempt, c.method, c.label, r.seed,
  e.iteration, e.kind, e.severity, e.detector_version AS "detectorVersion", e.message, e.evidence, e.verdict, e.note,
  e.created_at AS "createdAt"
  FROM collapse_event e JOIN run r ON r.id = e.run_id JOIN cell c ON c.id = r.cell_id
  JOIN attempt a ON a.id = e.attempt_id`;

type Scope = ({ sweepIds: readonly string[] } | { runId: string }) & { latest?: number };

/** Maximum number of events of a request; detectors of large sweeps report tens of thousands. */
export const maxEvents = 5000;

/**
 * Reads the events of the current rules with the latest iterations, by iteration. For whole sweeps, those of severity
 * `info` are left out.
 */
export async function readCollapseEvents(
  pool: Pool,
  scope: Scope,
  detectorVersion: string,
): Promise<CollapseEventRow[]> {
  const [where, value] =
    "runId" in scope
      ? ["e.run_id = $1", scope.runId]
      : [`r.sweep_id = ANY($1) AND e.severity <> 'info' AND ${countedSql("r")}`, scope.sweepIds];
  const events = await readRows(pool, StoredEvent, {
    sql: `SELECT * FROM (
        ${selected} WHERE ${where} AND e.detector_version = $2 ORDER BY e.iteration DESC, e.id DESC LIMIT $3
      ) AS latest ORDER BY iteration, id`,
    values: [value, detectorVersion, scope.latest ?? maxEvents],
  });
  return withShortLabels(events);
}

/** Stores a user's verdict on a detector event; null deletes the stored verdict. */
export async function judgeEvent(
  pool: Pool,
  { id, verdict, note }: { id: number; verdict: Verdict | null; note: string },
): Promise<void> {
  const { rowCount } = await pool.query(
    `WITH judged AS (
       UPDATE collapse_event SET verdict = $2, note = $3, judged_at = now(), seen_at = coalesce(seen_at, now())
       WHERE id = $1 RETURNING run_id
     )
     SELECT pg_notify('arlarena', json_build_object('sweepId', sweep_id, 'runId', id, 'kind', 'collapse')::text)
     FROM run JOIN judged ON judged.run_id = run.id`,
    [id, verdict, note],
  );
  if (rowCount === 0) throw new AppError("not_found", `there is no event ${id}`);
}

/**
 * SQL condition for alarms on which a user can still act. It excludes branches of a run with an alarm, and runs that
 * ended long before detection. It also excludes runs of recorded studies (`elsewhere` in a sweep with origin `plan`).
 */
export const isNewsSql = `NOT EXISTS (
    SELECT FROM run branch JOIN cell ON cell.id = branch.cell_id
    JOIN collapse_event alarm ON alarm.run_id = cell.spec->'initialisation'->>'run' AND alarm.severity IN ('unstable', 'collapsed')
    WHERE branch.id = e.run_id AND cell.spec->'initialisation'->>'kind' = 'branch')
  AND NOT EXISTS (
    SELECT FROM run over JOIN sweep ON sweep.id = over.sweep_id JOIN attempt ON attempt.id = e.attempt_id
    WHERE over.id = e.run_id AND (over.ended_at < e.created_at - interval '10 minutes'
      OR (attempt.job_state = 'elsewhere' AND sweep.origin = 'plan')))`;
const worthTelling = `e.severity IN ('unstable', 'collapsed', 'recovered') AND e.detector_version = $1 AND e.seen_at IS NULL
  AND ${isNewsSql}`;

/** Latest alarm of a run. */
const Notice = StoredEvent.pick({
  id: true,
  runId: true,
  method: true,
  label: true,
  seed: true,
  createdAt: true,
}).extend({ sweepName: z.string() });

/** Reads the runs with the latest alarms for the list of notifications, without those dismissed, and their number. */
export async function readNotices(
  pool: Pool,
  detectorVersion: string,
): Promise<{ numUnseen: number; events: z.infer<typeof Notice>[] }> {
  const values = [detectorVersion];
  const [events, [numUnseen = 0]] = await Promise.all([
    readRows(pool, Notice, {
      sql: `SELECT * FROM (
          SELECT DISTINCT ON (e.run_id) e.id, e.run_id AS "runId", s.name AS "sweepName", c.method, c.label, r.seed,
            e.created_at AS "createdAt"
          FROM collapse_event e JOIN run r ON r.id = e.run_id JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = r.sweep_id
          WHERE ${worthTelling} ORDER BY e.run_id, e.id DESC
        ) AS latest ORDER BY id DESC LIMIT 20`,
      values,
    }),
    readColumn(pool, z.int(), {
      sql: `SELECT count(DISTINCT e.run_id)::int AS n FROM collapse_event e WHERE ${worthTelling}`,
      values,
    }),
  ]);
  return { numUnseen, events: withShortLabels(events) };
}

export async function markSeen(pool: Pool, upToId: number): Promise<void> {
  await pool.query("UPDATE collapse_event SET seen_at = now() WHERE seen_at IS NULL AND id <= $1", [upToId]);
}
