import type { Pool, PoolClient } from "pg";
import { countsEpochs } from "#trainer/spec/event.ts";
import { AppError } from "../domain/errors.ts";
import { shippedConfig, versionOf } from "../domain/stability/config.ts";
import type { CollapseEvent } from "../domain/stability/event.ts";
import { Hindsight } from "../domain/stability/hindsight.ts";
import { advance, parseMemory, StatusChanges, toStoredMemory, type Standing } from "../domain/stability/online.ts";
import type { Point } from "../domain/stability/point.ts";
import { statuses, type Status } from "../domain/stability/status.ts";
import { toStoredEvidence } from "./collapseEvents.ts";

/** The rules in use; events of others stay stored beside theirs. */
export const detectorVersion = versionOf(shippedConfig);

type Batch = {
  runId: string;
  attemptId: number;
  points: readonly { iteration: number; keys: readonly string[]; values: readonly number[] }[];
};

type StoredStanding = {
  detectorVersion: string;
  attemptId: number;
  memory: unknown;
  status: Status;
  index: number | null;
  iteration: number;
  numSteps: number;
  changes: unknown;
  keys: string[];
};

/**
 * Reads freshly stored lines on, in their transaction. "replay": the memory is of another attempt, of other rules or of
 * later iterations; it is cleared, and the run is to be replayed from storage once this is committed.
 */
export async function advanceDetection(client: PoolClient, batch: Batch): Promise<"done" | "replay"> {
  const lines = batch.points.map(toPoint);
  if (lines.length === 0) return "done";
  const { rows } = await client.query<StoredStanding>(
    `SELECT detector_version AS "detectorVersion", attempt_id AS "attemptId", memory, status, index, iteration,
       num_steps AS "numSteps", changes, keys FROM detection WHERE run_id = $1 FOR UPDATE`,
    [batch.runId],
  );
  const [stored] = rows;
  const isOurs = stored?.attemptId === batch.attemptId && stored.detectorVersion === detectorVersion;
  const advanced =
    stored && isOurs && stored.memory !== null
      ? advance({ ...stored, memory: parseMemory(stored.memory), changes: StatusChanges.parse(stored.changes) }, lines)
      : undefined;
  if (!advanced) {
    await client.query("UPDATE detection SET memory = NULL, hindsight = NULL WHERE run_id = $1", [batch.runId]);
    return "replay";
  }
  await saveStanding(client, batch, advanced.standing);
  await saveEvents(client, batch, advanced);
  return "done";
}

function toPoint({ iteration, keys, values }: Batch["points"][number]): Point {
  const own = keys.flatMap((key, i) => (countsEpochs(key) ? [] : [[key, values[i] ?? NaN] as const]));
  return { iteration, values: Object.fromEntries(own) };
}

type Owner = { runId: string; attemptId: number };

async function saveStanding(
  client: PoolClient,
  { runId, attemptId }: Owner,
  standing: Standing,
  hindsight: Hindsight | null = null,
): Promise<void> {
  await client.query(
    `INSERT INTO detection (run_id, detector_version, attempt_id, memory, status, index, iteration, num_steps, changes,
       keys, hindsight) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     ON CONFLICT (run_id) DO UPDATE SET detector_version = $2, attempt_id = $3, memory = $4, status = $5, index = $6,
       iteration = $7, num_steps = $8, changes = $9, keys = $10, hindsight = $11, updated_at = now()`,
    [
      runId,
      detectorVersion,
      attemptId,
      JSON.stringify(toStoredMemory(standing.memory)),
      standing.status,
      standing.index,
      standing.iteration,
      standing.numSteps,
      JSON.stringify(standing.changes),
      standing.keys,
      hindsight && JSON.stringify(hindsight),
    ],
  );
}

/** Events from an iteration on become these: those that are told again stay the rows they were, with their verdicts. */
async function saveEvents(
  client: PoolClient,
  { runId, attemptId }: Owner,
  { from, events }: { from: number; events: readonly CollapseEvent[] },
): Promise<void> {
  if (from === Infinity) return;
  await client.query(
    `WITH told AS (
       SELECT * FROM unnest($4::int[], $5::text[], $6::text[], $7::text[], $8::jsonb[])
         AS event(iteration, kind, severity, message, evidence)
     ), gone AS (
       DELETE FROM collapse_event AS old WHERE run_id = $1 AND detector_version = $2 AND iteration >= $9
         AND verdict IS NULL AND NOT EXISTS (
           SELECT FROM told WHERE told.iteration = old.iteration AND told.kind = old.kind
             AND told.severity = old.severity AND told.message = old.message)
     ), fresh AS (
       INSERT INTO collapse_event (run_id, detector_version, attempt_id, iteration, kind, severity, message, evidence)
       SELECT $1, $2, $3, * FROM told ON CONFLICT DO NOTHING RETURNING run_id
     )
     SELECT pg_notify('arlarena', json_build_object('sweepId', sweep_id, 'runId', id, 'kind', 'collapse')::text)
     FROM run WHERE id = $1 AND EXISTS (SELECT FROM fresh)`,
    [
      runId,
      detectorVersion,
      attemptId,
      events.map(({ iteration }) => iteration),
      events.map(({ kind }) => kind),
      events.map(({ severity }) => severity),
      events.map(({ message }) => message),
      events.map(({ evidence }) => JSON.stringify(toStoredEvidence(evidence))),
      from,
    ],
  );
}

/** Which attempt is a run's newest with points, up to which line it is stored, and whether the run goes on. */
export type LogState = Owner & { lastSeq: number; spec: unknown; isOver: boolean; hasDiverged: boolean };

export async function readLogState(pool: Pool | PoolClient, runId: string): Promise<LogState | undefined> {
  const { rows } = await pool.query<LogState>(
    `SELECT a.run_id AS "runId", a.id AS "attemptId", a.last_seq AS "lastSeq", c.spec,
       a.done IS NOT NULL OR NOT a.live AS "isOver", coalesce(a.done->>'exit' = 'diverged', false) AS "hasDiverged"
     FROM attempt a JOIN run r ON r.id = a.run_id JOIN cell c ON c.id = r.cell_id
     WHERE a.run_id = $1 AND a.num_metric_lines > 0 ORDER BY a.number DESC LIMIT 1`,
    [runId],
  );
  return rows[0];
}

export type Replayed = { standing: Standing; events: readonly CollapseEvent[]; hindsight: Hindsight | null };

/** Stores a replay, unless the log went on while it was made: false, and the next reader replays again. */
export async function saveReplay(client: PoolClient, seen: LogState, replayed: Replayed): Promise<boolean> {
  const locked = 'SELECT last_seq AS "lastSeq" FROM attempt WHERE id = $1 FOR UPDATE';
  const { rows } = await client.query<{ lastSeq: number }>(locked, [seen.attemptId]);
  if (rows[0]?.lastSeq !== seen.lastSeq) return false;
  await saveStanding(client, seen, replayed.standing, replayed.hindsight);
  await saveEvents(client, seen, { from: -1, events: replayed.events });
  return true;
}

/** Runs whose standing is none, of other rules, forgotten, or lacks the look back that the run's end allows. */
export async function readUndetected(pool: Pool, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT r.id FROM run r
     JOIN LATERAL (
       SELECT live, done FROM attempt WHERE run_id = r.id AND num_metric_lines > 0 ORDER BY number DESC LIMIT 1
     ) AS a ON true
     LEFT JOIN detection d ON d.run_id = r.id
     WHERE d.run_id IS NULL OR d.detector_version <> $1 OR d.memory IS NULL
       OR (d.hindsight IS NULL AND (a.done IS NOT NULL OR NOT a.live))
     LIMIT $2`,
    [detectorVersion, limit],
  );
  return rows.map(({ id }) => id);
}

export type DetectionRow = {
  runId: string;
  status: Status;
  index: number | null;
  iteration: number;
  numSteps: number;
  changes: { iteration: number; status: Status }[];
  keys: string[];
  hindsight: Hindsight | null;
};

/** Where the runs of these sweeps stand; a run that has logged nothing that the rules read has no row. */
export async function readDetections(pool: Pool, sweepIds: readonly string[]): Promise<DetectionRow[]> {
  const { rows } = await pool.query<Omit<DetectionRow, "status"> & { status: string }>(
    `SELECT d.run_id AS "runId", d.status, d.index, d.iteration, d.num_steps AS "numSteps", d.changes, d.keys, d.hindsight
     FROM detection d JOIN run r ON r.id = d.run_id WHERE r.sweep_id = ANY($1)`,
    [sweepIds],
  );
  return rows.map((row) => ({
    ...row,
    status: parseStatus(row.status),
    changes: StatusChanges.parse(row.changes),
    hindsight: row.hindsight === null ? null : Hindsight.parse(row.hindsight),
  }));
}

function parseStatus(text: string): Status {
  const status = statuses.find((one) => one === text);
  if (!status) throw new AppError("internal", `a detection has the status ${text}`);
  return status;
}
