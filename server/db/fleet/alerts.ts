import type { Pool, PoolClient } from "pg";
import { z } from "zod";
import { noticeKinds } from "#server/domain/fleet/alerts/alertsFile.ts";
import {
  type EventOfRun,
  type Happening,
  lastingKinds,
  type Open,
  type OverRun,
  type OverSweep,
  type SilentNode,
  type SilentRun,
} from "#server/domain/fleet/alerts/happenings.ts";
import { isNewsSql } from "../analysis/collapseEvents.ts";
import { countedSql, overSql } from "../storage/sql.ts";
import { readRows } from "../storage/readRows.ts";

/** Maximum age of events that are told: a long pause of the studio sends no old alerts. */
const recent = "interval '1 day'";

const aboutRun = {
  runId: z.string(),
  sweepId: z.string(),
  sweepName: z.string(),
  tags: z.array(z.string()),
  method: z.string(),
  label: z.string(),
  seed: z.int(),
  iteration: z.int(),
};

const StoredEvent = z.object({
  ...aboutRun,
  kind: z.string(),
  severity: z.enum(["warning", "unstable", "collapsed", "recovered"]),
  message: z.string(),
});

export async function readRecentEvents(client: PoolClient, detectorVersion: string): Promise<EventOfRun[]> {
  return readRows(client, StoredEvent, {
    sql: `SELECT r.id AS "runId", s.id AS "sweepId", s.name AS "sweepName", s.tags, c.method, c.label, r.seed, e.iteration, e.kind,
        e.severity, e.message
      FROM collapse_event e JOIN run r ON r.id = e.run_id JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = r.sweep_id
      WHERE e.severity <> 'info' AND e.detector_version = $1 AND e.created_at > now() - ${recent} AND ${isNewsSql}
        AND NOT EXISTS (SELECT FROM alert_notice n WHERE n.key = concat_ws(':', 'event', r.id, e.iteration, e.kind, e.severity))
      ORDER BY e.id`,
    values: [detectorVersion],
  });
}

const StoredOver = z.object({
  sweepId: z.string(),
  sweepName: z.string(),
  tags: z.array(z.string()),
  endedAt: z.date(),
  numRuns: z.int(),
  numFinished: z.int(),
  numFailed: z.int(),
  failures: z.record(z.string(), z.int()),
  numCancelled: z.int(),
  numCollapsed: z.int(),
});

/** Excludes recorded studies and imports, because their runs ended outside this studio. */
export async function readOverSweeps(client: PoolClient, detectorVersion: string): Promise<OverSweep[]> {
  const count = (status: string) => `count(*) FILTER (WHERE r.status = '${status}')::int`;
  return readRows(client, StoredOver, {
    sql: `SELECT s.id AS "sweepId", s.name AS "sweepName", s.tags, max(r.ended_at) AS "endedAt", count(*)::int AS "numRuns",
        ${count("finished")} AS "numFinished", ${count("failed")} AS "numFailed", ${count("cancelled")} AS "numCancelled",
        (SELECT coalesce(jsonb_object_agg(reason, n), '{}') FROM (
          SELECT failed.reason, count(*)::int AS n FROM run failed
          WHERE failed.sweep_id = s.id AND failed.status = 'failed' AND failed.reason IS NOT NULL AND ${countedSql("failed")}
          GROUP BY 1) AS by_reason) AS failures,
        count(*) FILTER (WHERE EXISTS (SELECT FROM collapse_event e
          WHERE e.run_id = r.id AND e.severity = 'collapsed' AND e.detector_version = $1))::int AS "numCollapsed"
      FROM sweep s JOIN run r ON r.sweep_id = s.id
      WHERE s.origin <> 'import' AND ${countedSql("r")}
        AND s.id IN (SELECT ended.sweep_id FROM status_event e JOIN run ended ON ended.id = e.run_id
          WHERE e.at > now() - ${recent} AND e.source <> 'user' AND ${overSql("e")})
        AND NOT EXISTS (SELECT FROM run open WHERE open.sweep_id = s.id AND NOT ${overSql("open")})
      GROUP BY s.id`,
    values: [detectorVersion],
  });
}

const StoredRun = z.object({
  ...aboutRun,
  eventId: z.int(),
  status: z.string(),
  runReason: z.string().nullable(),
  reason: z.string(),
});

export async function readOverRuns(client: PoolClient): Promise<OverRun[]> {
  return readRows(client, StoredRun, {
    sql: `SELECT e.id AS "eventId", r.id AS "runId", s.id AS "sweepId", s.name AS "sweepName", s.tags, c.method,
        c.label, r.seed, r.status, r.reason AS "runReason", r.latest_iteration AS iteration, e.text AS reason
      FROM status_event e JOIN run r ON r.id = e.run_id JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = r.sweep_id
      WHERE e.at > now() - ${recent} AND e.source <> 'user' AND ${overSql("e")} AND ${overSql("r")} AND s.origin <> 'import'
        AND NOT EXISTS (SELECT FROM status_event later WHERE later.run_id = r.id AND later.id > e.id AND ${overSql("later")})
        AND NOT EXISTS (SELECT FROM alert_notice n WHERE n.key = concat_ws(':', 'ended', r.id, e.id))
      ORDER BY e.id`,
  });
}

const StoredSilentRun = z.object({ ...aboutRun, reason: z.string() });

/** Reads the runs that the orchestrator reported as without progress. */
export async function readSilentRuns(client: PoolClient): Promise<SilentRun[]> {
  return readRows(client, StoredSilentRun, {
    sql: `SELECT r.id AS "runId", s.id AS "sweepId", s.name AS "sweepName", s.tags, c.method, c.label, r.seed,
        r.latest_iteration AS iteration, e.text AS reason
      FROM run r JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = r.sweep_id
        JOIN LATERAL (SELECT text FROM status_event WHERE run_id = r.id ORDER BY id DESC LIMIT 1) AS e ON true
      WHERE NOT ${overSql("r")} AND r.status = 'running' AND r.reason = 'no_progress' ORDER BY r.id`,
  });
}

const StoredSilence = z.object({
  node: z.string(),
  lastContactAt: z.date(),
  problem: z.string().nullable(),
  isWitnessed: z.boolean(),
});

/** Reads the nodes without a response for `minutes`. `isWitnessed`: the studio has polled all that time. */
export async function readSilentNodes(
  client: PoolClient,
  { minutes, observingSince }: { minutes: number; observingSince: Date },
): Promise<(SilentNode & { isWitnessed: boolean })[]> {
  return readRows(client, StoredSilence, {
    sql: `SELECT name AS node, last_contact_at AS "lastContactAt", problem,
        $2 < now() - $1 * interval '1 minute' AS "isWitnessed"
      FROM node_sighting WHERE is_configured AND last_contact_at < now() - $1 * interval '1 minute'`,
    values: [minutes, observingSince],
  });
}

export async function readOpenSubjects(client: PoolClient): Promise<Open[]> {
  return readRows(client, z.object({ subject: z.string(), kind: z.enum(lastingKinds), title: z.string() }), {
    sql: "SELECT subject, kind, title FROM alert_notice WHERE subject IS NOT NULL AND over_at IS NULL",
  });
}

export async function closeSubjects(client: PoolClient, subjects: readonly string[]): Promise<void> {
  await client.query("UPDATE alert_notice SET over_at = now() WHERE over_at IS NULL AND subject = ANY($1)", [subjects]);
}

/** Channel (such as e-mail) that receives an alert, and the time of the first try to deliver it. */
export type Route = { channel: string; firstMs: number };

/**
 * Stores alerts with their deliveries in the caller's transaction, by one statement: a large sweep has thousands. An
 * alert stored already stays unchanged.
 */
export async function saveNotices(
  client: PoolClient,
  notices: readonly (Happening & { routes: readonly Route[] })[],
): Promise<void> {
  if (notices.length === 0) return;
  await client.query(
    `WITH given AS (
       SELECT DISTINCT ON (key) * FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (key text, kind text, severity text,
         "sweepId" text, title text, text text, path text, subject text, routes jsonb)) WITH ORDINALITY ORDER BY key, ordinality
     ), noticed AS (
       INSERT INTO alert_notice (key, kind, severity, sweep_id, title, text, path, subject)
       SELECT key, kind, severity, "sweepId", title, text, path, subject FROM given ORDER BY ordinality
       ON CONFLICT (key) DO NOTHING RETURNING id, key
     )
     INSERT INTO alert_delivery (notice_id, channel, next_at)
     SELECT noticed.id, r.channel, to_timestamp(r."firstMs" / 1000) FROM noticed JOIN given USING (key),
       jsonb_to_recordset(given.routes) AS r(channel text, "firstMs" float8)`,
    [JSON.stringify(notices)],
  );
}

/** Deletes alerts older than 90 days with their deliveries, except alerts about conditions that still last. */
export async function forgetNotices(pool: Pool): Promise<void> {
  await pool.query(
    `DELETE FROM alert_notice WHERE at < now() - interval '90 days' AND (subject IS NULL OR over_at IS NOT NULL)`,
  );
}

const StoredDelivery = z.object({
  deliveryId: z.int(),
  channel: z.string(),
  attempts: z.int(),
  id: z.int(),
  kind: z.enum([...noticeKinds, "test"]),
  severity: z.enum(["warning", "unstable", "collapsed", "recovered", "info"]),
  sweepId: z.string().nullable(),
  title: z.string(),
  text: z.string(),
  path: z.string(),
  at: z.date(),
});
export type Delivery = z.infer<typeof StoredDelivery>;

const selected = `SELECT d.id AS "deliveryId", d.channel, d.attempts, n.id, n.kind, n.severity, n.sweep_id AS "sweepId", n.title,
  n.text, n.path, n.at`;

/** Reads all waiting deliveries of every channel with a due delivery: one message contains them, oldest first. */
export async function readDue(pool: Pool): Promise<Delivery[]> {
  return readRows(pool, StoredDelivery, {
    sql: `${selected} FROM alert_delivery d JOIN alert_notice n ON n.id = d.notice_id
      WHERE d.state = 'waiting'
        AND d.channel IN (SELECT channel FROM alert_delivery WHERE state = 'waiting' AND next_at <= now())
      ORDER BY d.channel, d.id LIMIT 1000`,
  });
}

export async function markSent(pool: Pool, ids: readonly number[]): Promise<void> {
  await pool.query(
    `UPDATE alert_delivery SET state = 'sent', sent_at = now(), attempts = attempts + 1, problem = NULL WHERE id = ANY($1)`,
    [ids],
  );
}

/** Records a failed try. `nextMs`: time of the next one; undefined if there will be none. */
export async function markFailed(
  pool: Pool,
  ids: readonly number[],
  { problem, nextMs }: { problem: string; nextMs: number | undefined },
): Promise<void> {
  await pool.query(
    `UPDATE alert_delivery SET attempts = attempts + 1, problem = $2, state = CASE WHEN $3::float8 IS NULL THEN 'failed' ELSE 'waiting' END,
       next_at = coalesce(to_timestamp($3::float8 / 1000), next_at) WHERE id = ANY($1)`,
    [ids, problem, nextMs ?? null],
  );
}

const LoggedDelivery = StoredDelivery.extend({
  state: z.enum(["waiting", "sent", "failed"]),
  nextAt: z.date(),
  sentAt: z.date().nullable(),
  problem: z.string().nullable(),
});
export type LoggedDelivery = z.infer<typeof LoggedDelivery>;

export async function readDeliveries(pool: Pool, limit: number): Promise<LoggedDelivery[]> {
  return readRows(pool, LoggedDelivery, {
    sql: `${selected}, d.state, d.next_at AS "nextAt", d.sent_at AS "sentAt", d.problem
      FROM alert_delivery d JOIN alert_notice n ON n.id = d.notice_id ORDER BY d.id DESC LIMIT $1`,
    values: [limit],
  });
}
