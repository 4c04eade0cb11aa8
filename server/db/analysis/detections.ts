import type { Pool, PoolClient } from "pg";
import { z } from "zod";
import {
  detectorVersion,
  type CollapseEvent,
  alarmOf,
  alarmWords,
  toAlarm,
  toOutcome,
  type StabilityFacts,
  Hindsight,
  toStoredMemory,
  type Advance,
  type Standing,
} from "#packages/detector";

import { toStoredEvidence } from "./collapseEvents.ts";
import { DetectionColumns, readColumn, readRows } from "../storage/readRows.ts";
import { countedSql, overSql } from "../storage/sql.ts";

const DetectionRow = z.object({ runId: z.string(), ...DetectionColumns });
export type DetectionRow = z.output<typeof DetectionRow>;

const StoredStanding = DetectionRow.omit({ hindsight: true }).extend({
  detectorVersion: z.string(),
  attemptId: z.int(),
  memory: z.unknown(),
  changes: z.unknown(),
});
/** Detector's state of a run, computed by the rules `detectorVersion`. `memory`: null if the run must be replayed. */
export type StoredStanding = z.output<typeof StoredStanding>;

export async function lockStandings(client: PoolClient, runIds: readonly string[]): Promise<StoredStanding[]> {
  return readRows(client, StoredStanding, {
    sql: `SELECT run_id AS "runId", detector_version AS "detectorVersion", attempt_id AS "attemptId", memory, status, index,
       iteration, num_steps AS "numSteps", changes, keys FROM detection WHERE run_id = ANY($1) ORDER BY run_id FOR UPDATE`,
    values: [runIds],
  });
}

/** Deletes the detector's memory and the labels of these runs, so that their logs are replayed from the start. */
export async function forgetStandings(client: PoolClient, runIds: readonly string[]): Promise<void> {
  await client.query("UPDATE detection SET memory = NULL, hindsight = NULL WHERE run_id = ANY($1)", [runIds]);
  await client.query("DELETE FROM status_event WHERE run_id = ANY($1) AND source = $2", [runIds, unjudgedSource]);
}

/** Detector state of a run after new log lines, with the events that these lines caused. */
export type Advanced = Owner & Advance;

export async function saveAdvanced(client: PoolClient, advanced: readonly Advanced[]): Promise<void> {
  const rows = advanced.map(({ runId, standing: { memory, status, index, iteration, numSteps, changes, keys } }) => {
    const { word: alarm, iteration: alarmAt } = alarmOf(changes);
    return { runId, memory: toStoredMemory(memory), status, index, iteration, numSteps, changes, keys, alarm, alarmAt };
  });
  // One JSON document: in arrays of texts, all quotation marks would be escaped and parsed again.
  await client.query(
    `UPDATE detection SET memory = new.memory, status = new.status, index = new.index, iteration = new.iteration,
       num_steps = new."numSteps", changes = new.changes, keys = new.keys, alarm = new.alarm, alarm_at = new."alarmAt",
       hindsight = NULL, updated_at = now()
     FROM jsonb_to_recordset($1) AS new("runId" text, memory jsonb, status text, index float8, iteration int,
       "numSteps" int, changes jsonb, keys text[], alarm text, "alarmAt" int)
     WHERE detection.run_id = new."runId"`,
    [JSON.stringify(rows)],
  );
  // This query finds runs whose stored events the new lines replace. Usually there are none.
  const superseded = await readColumn(client, z.string(), {
    sql: `SELECT DISTINCT old.run_id AS "runId" FROM collapse_event AS old
       JOIN unnest($1::text[], $2::float8[]) AS read(run_id, first) ON old.run_id = read.run_id
     WHERE old.detector_version = $3 AND old.iteration >= read.first`,
    values: [advanced.map(({ runId }) => runId), advanced.map(({ from }) => from), detectorVersion],
  });
  const retold = new Set(superseded);
  await saveEvents(
    client,
    advanced.filter((one) => one.events.length > 0 || retold.has(one.runId)),
  );
}

type Owner = { runId: string; attemptId: number };

async function saveStandings(client: PoolClient, whole: readonly (Owner & Replayed)[]): Promise<void> {
  const rows = whole.map(({ runId, attemptId, standing, hindsight }) => {
    const { memory, status, index, iteration, numSteps, changes, keys } = standing;
    const { word: alarm, iteration: alarmAt } = alarmOf(changes);
    const known = { runId, attemptId, memory: toStoredMemory(memory), status, index, iteration, numSteps };
    return { ...known, changes, keys, hindsight, alarm, alarmAt };
  });
  await client.query(
    `INSERT INTO detection (run_id, detector_version, attempt_id, memory, status, index, iteration, num_steps, changes,
       keys, hindsight, alarm, alarm_at)
     SELECT "runId", $2, "attemptId", memory, status, index, iteration, "numSteps", changes, keys, hindsight, alarm, "alarmAt"
     FROM jsonb_to_recordset($1) AS new("runId" text, "attemptId" int, memory jsonb, status text, index float8,
       iteration int, "numSteps" int, changes jsonb, keys text[], hindsight jsonb, alarm text, "alarmAt" int)
     ORDER BY "runId"
     ON CONFLICT (run_id) DO UPDATE SET detector_version = excluded.detector_version, attempt_id = excluded.attempt_id,
       memory = excluded.memory, status = excluded.status, index = excluded.index, iteration = excluded.iteration,
       num_steps = excluded.num_steps, changes = excluded.changes, keys = excluded.keys,
       hindsight = excluded.hindsight, alarm = excluded.alarm, alarm_at = excluded.alarm_at, updated_at = now()`,
    [JSON.stringify(rows), detectorVersion],
  );
}

type Retold = Owner & { from: number; events: readonly CollapseEvent[] };

/** Replaces runs' detector events from iteration `from` on. Unchanged events and events with a verdict stay. */
async function saveEvents(client: PoolClient, retold: readonly Retold[]): Promise<void> {
  const runs = retold.filter(({ from }) => from !== Infinity);
  if (runs.length === 0) return;
  const events = runs.flatMap(({ runId, attemptId, events }) =>
    events.map((event) => ({ runId, attemptId, ...event })),
  );
  await client.query(
    `WITH new_event AS (
       SELECT * FROM unnest($4::text[], $5::int[], $6::int[], $7::text[], $8::text[], $9::text[], $10::jsonb[])
         AS event(run_id, attempt_id, iteration, kind, severity, message, evidence)
     ), gone AS (
       DELETE FROM collapse_event AS old USING unnest($2::text[], $3::int[]) AS retold(run_id, first)
       WHERE old.run_id = retold.run_id AND detector_version = $1 AND iteration >= first
         AND verdict IS NULL AND NOT EXISTS (
           SELECT FROM new_event WHERE new_event.run_id = old.run_id AND new_event.iteration = old.iteration
             AND new_event.kind = old.kind AND new_event.severity = old.severity AND new_event.message = old.message)
     ), fresh AS (
       INSERT INTO collapse_event (run_id, detector_version, attempt_id, iteration, kind, severity, message, evidence)
       SELECT run_id, $1, attempt_id, iteration, kind, severity, message, evidence FROM new_event
       ON CONFLICT DO NOTHING RETURNING run_id
     )
     SELECT pg_notify('arlarena', json_build_object('sweepId', sweep_id, 'runId', id, 'kind', 'collapse')::text)
     FROM run WHERE id IN (SELECT run_id FROM fresh)`,
    [
      detectorVersion,
      runs.map(({ runId }) => runId),
      runs.map(({ from }) => from),
      events.map(({ runId }) => runId),
      events.map(({ attemptId }) => attemptId),
      events.map(({ iteration }) => iteration),
      events.map(({ kind }) => kind),
      events.map(({ severity }) => severity),
      events.map(({ message }) => message),
      events.map(({ evidence }) => JSON.stringify(toStoredEvidence(evidence))),
    ],
  );
}

/** State of a run's log: the latest attempt with points, its last stored line, and facts about the run's end. */
const LogState = z.object({
  runId: z.string(),
  attemptId: z.number(),
  lastSeq: z.number(),
  numLines: z.number(),
  spec: z.unknown(),
  isOver: z.boolean(),
  hasDiverged: z.boolean(),
});
export type LogState = z.output<typeof LogState>;

export async function readLogState(pool: Pool | PoolClient, runId: string): Promise<LogState | undefined> {
  return (await readLogStates(pool, [runId]))[0];
}

/** Reads the states of these runs' logs; a run without points has none. */
export async function readLogStates(pool: Pool | PoolClient, runIds: readonly string[]): Promise<LogState[]> {
  return readRows(pool, LogState, {
    sql: `SELECT DISTINCT ON (a.run_id) a.run_id AS "runId", a.id AS "attemptId", a.last_seq AS "lastSeq", c.spec,
       a.num_metric_lines AS "numLines",
       a.done IS NOT NULL OR NOT a.live AS "isOver", coalesce(a.done->>'exit' = 'diverged', false) AS "hasDiverged"
     FROM attempt a JOIN run r ON r.id = a.run_id JOIN cell c ON c.id = r.cell_id
     WHERE a.run_id = ANY($1) AND a.num_metric_lines > 0 ORDER BY a.run_id, a.number DESC`,
    values: [runIds],
  });
}

export type Replayed = { standing: Standing; events: readonly CollapseEvent[]; hindsight: Hindsight | null };

/** Inputs for labelling a run from its whole log: its specification, and whether more lines may follow. */
const Beginning = z.object({ runId: z.string(), spec: z.unknown(), isLive: z.boolean() });
export type Beginning = z.output<typeof Beginning>;

/** Reads the runs of these attempts that have only this attempt and no detector state yet. */
export async function readBeginnings(client: PoolClient, attemptIds: readonly number[]): Promise<Beginning[]> {
  return readRows(client, Beginning, {
    sql: `SELECT a.run_id AS "runId", c.spec, a.live AS "isLive"
     FROM attempt a JOIN run r ON r.id = a.run_id JOIN cell c ON c.id = r.cell_id
     WHERE a.id = ANY($1) AND NOT EXISTS (SELECT FROM detection d WHERE d.run_id = a.run_id)
       AND NOT EXISTS (SELECT FROM attempt other WHERE other.run_id = a.run_id AND other.id <> a.id)`,
    values: [attemptIds],
  });
}

/** Stores the detector's results on whole logs, in the transaction that stores the logs' lines. */
export async function saveWhole(client: PoolClient, whole: readonly (Owner & Replayed)[]): Promise<void> {
  if (whole.length === 0) return;
  await saveStandings(client, whole);
  await saveEvents(
    client,
    whole.map((one) => ({ ...one, from: -1 })),
  );
}

/**
 * Stores repeated replays. Returns the runs that were stored: if a log grew meanwhile, or is being read by another
 * process, its run must be replayed once more.
 */
export async function saveReplays(
  client: PoolClient,
  replays: readonly (LogState & Replayed)[],
): Promise<ReadonlySet<string>> {
  const locked = await readRows(client, z.object({ id: z.number(), lastSeq: z.number() }), {
    sql: `SELECT id, last_seq AS "lastSeq" FROM attempt WHERE id = ANY($1) ORDER BY id FOR UPDATE SKIP LOCKED`,
    values: [replays.map(({ attemptId }) => attemptId)],
  });
  const lastSeqOf = new Map(locked.map(({ id, lastSeq }) => [id, lastSeq]));
  const current = replays.filter(({ attemptId, lastSeq }) => lastSeqOf.get(attemptId) === lastSeq);
  await saveWhole(client, current);
  return new Set(current.map(({ runId }) => runId));
}

/** Returns runs to process from the start: detector state missing, deleted or outdated, or ended without a label. */
export async function readUndetected(
  pool: Pool | PoolClient,
  limit: number,
  sweepIds: readonly string[] | null = null,
): Promise<string[]> {
  return readColumn(pool, z.string(), {
    sql: `SELECT r.id FROM run r
     JOIN LATERAL (
       SELECT live, done FROM attempt WHERE run_id = r.id AND num_metric_lines > 0 ORDER BY number DESC LIMIT 1
     ) AS a ON true
     LEFT JOIN detection d ON d.run_id = r.id
     WHERE (d.run_id IS NULL OR d.detector_version <> $1 OR d.memory IS NULL
         OR (d.hindsight IS NULL AND (a.done IS NOT NULL OR NOT a.live)))
       AND ($3::text[] IS NULL OR r.sweep_id = ANY($3))
       AND NOT EXISTS (SELECT FROM status_event e WHERE e.run_id = r.id AND e.source = $4 AND starts_with(e.text, $5))
     LIMIT $2`,
    values: [detectorVersion, limit, sweepIds, unjudgedSource, unjudgedStart],
  });
}

/** Source and first words of the entry in the history of a run that this detector cannot judge. */
const unjudgedSource = "detector";
const unjudgedStart = `no label by ${detectorVersion}: `;

/** Notes once, in a run's history, why it cannot be judged; it is judged again after a change of its data or rules. */
export async function noteUnjudged(pool: Pool, runId: string, reason: string): Promise<void> {
  await pool.query(
    `INSERT INTO status_event (run_id, source, status, text) SELECT id, $2, status, $3 FROM run
     WHERE id = $1 AND NOT EXISTS (SELECT FROM status_event WHERE run_id = $1 AND source = $2 AND text = $3)`,
    [runId, unjudgedSource, `${unjudgedStart}${reason}`],
  );
}

/** Reads the detector's states. A run that logged no metric of its rules is missing. */
export async function readDetections(pool: Pool, sweepIds: readonly string[]): Promise<DetectionRow[]> {
  return readRows(pool, DetectionRow, {
    sql: `SELECT d.run_id AS "runId", d.status, d.index, d.iteration, d.num_steps AS "numSteps", d.changes, d.keys, d.hindsight
     FROM detection d JOIN run r ON r.id = d.run_id WHERE r.sweep_id = ANY($1) AND ${countedSql("r")}`,
    values: [sweepIds],
  });
}

/** SQL condition on a run `r` and its detector state `d`: true while the run's hindsight label is pending. */
export const awaitedSql = `(NOT ${overSql("r")} OR (d.run_id IS NOT NULL AND d.hindsight IS NULL))`;

const FactsRow = z.object({
  runId: z.string(),
  isOver: z.boolean(),
  isAwaited: z.boolean(),
  alarm: z.enum(alarmWords).exclude(["not judged", "not judged yet"]).nullable(),
  alarmAt: z.int().nullable(),
  label: Hindsight.shape.label.nullable(),
  status: DetectionColumns.status.nullable(),
  keys: z.array(z.string()).nullable(),
});
/** Alarm and hindsight label of a run. `status`: current state of the detector; null if it has none yet. */
export type FactsRow = StabilityFacts & Pick<z.output<typeof FactsRow>, "runId" | "status">;

export async function readStabilityFacts(
  pool: Pool,
  scope: { sweepIds: readonly string[] } | { runIds: readonly string[] } | { runId: string },
): Promise<FactsRow[]> {
  const [where, value] =
    "sweepIds" in scope
      ? ["r.sweep_id = ANY($1)", scope.sweepIds]
      : ["r.id = ANY($1)", "runIds" in scope ? scope.runIds : [scope.runId]];
  const rows = await readRows(pool, FactsRow, {
    sql: `SELECT r.id AS "runId", ${overSql("r")} AS "isOver", ${awaitedSql} AS "isAwaited", d.alarm, d.alarm_at AS "alarmAt",
       d.hindsight->'label' AS label, d.status, d.keys
     FROM run r LEFT JOIN detection d ON d.run_id = r.id AND d.num_steps > 0 WHERE ${where}`,
    values: [value],
  });
  return rows.map(({ runId, isOver, isAwaited, alarm, alarmAt, label, status, keys }) => ({
    runId,
    status,
    alarm: toAlarm({ word: alarm, iteration: alarmAt }, isOver),
    hindsight: toOutcome(label, isAwaited, keys ?? []),
  }));
}
