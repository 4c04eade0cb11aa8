import type { Pool } from "pg";
import { z } from "zod";
import { noticeKinds } from "#server/domain/fleet/alerts/alertsFile.ts";
import { readRows } from "../storage/readRows.ts";

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
/** A notice and its delivery through a channel. */
export type Delivery = z.infer<typeof StoredDelivery>;

const selected = `SELECT d.id AS "deliveryId", d.channel, d.attempts, n.id, n.kind, n.severity, n.sweep_id AS "sweepId", n.title,
  n.text, n.path, n.at`;

/** All waiting deliveries of channels with at least one due, by channel and age: one message contains them all. */
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

/** @param nextMs time of the next attempt; undefined: none */
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

/** Latest deliveries of all channels. */
export async function readDeliveries(pool: Pool, limit: number): Promise<LoggedDelivery[]> {
  return readRows(pool, LoggedDelivery, {
    sql: `${selected}, d.state, d.next_at AS "nextAt", d.sent_at AS "sentAt", d.problem
      FROM alert_delivery d JOIN alert_notice n ON n.id = d.notice_id ORDER BY d.id DESC LIMIT $1`,
    values: [limit],
  });
}
