import type { Pool, PoolClient } from "pg";
import { z } from "zod";
import type { RunEvent } from "#trainer/spec/event.ts";
import { appendBlocks } from "./blockWrites.ts";
import { appendPoints, compactPoints, consecutivePoints, type PointLine } from "./pointWrites.ts";
import { insertLoggedChanges } from "../analysis/externalChanges.ts";
import { insertTraces } from "./actionTraces.ts";
import { readColumn, readRows } from "../storage/readRows.ts";
import { notUnderstood } from "#packages/trainers";

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

/** Changes to the database that the lines between two offsets of an attempt's log cause. */
export type LogUpdate = {
  logOffset: number;
  nextOffset: number;
  lastSeq: number;
  lastEventAtMs: number | null;
  points: (Omit<PointLine, "attemptId" | "metricIds"> & { keys: readonly string[] })[];
  /** Maps stored metric names to the names that the external trainer uses. */
  originals: Readonly<Record<string, string>>;
  started: EventOf<"started"> | null;
  done: EventOf<"done"> | null;
  latestIteration: { resetTo: number } | { raiseTo: number } | null;
  notes: EventOf<"note">[];
  /** External changes (such as other training data) that the log reports. */
  changes: EventOf<"event">[];
  /** Actions in the episodes of evaluations. */
  traces: EventOf<"traces">[];
  /** Remarks of the studio about the log itself. */
  remarks: string[];
  rejected: { offset: number; text: string; problem: string }[];
};

export type AttemptUpdate = { attemptId: number; update: LogUpdate };
export type StoredUpdate = AttemptUpdate & { runId: string };

/**
 * Stores new log lines and log offsets of several attempts in the caller's transaction: one for each would cost more.
 * An attempt whose `logOffset` another process has moved is skipped, so that each line counts once. `ids`: ids of all
 * metric keys, created before the transaction.
 */
export async function storeLogUpdates(
  client: PoolClient,
  updates: readonly AttemptUpdate[],
  ids: ReadonlyMap<string, number>,
): Promise<StoredUpdate[]> {
  const advanced = await advance(client, updates);
  const rows: PointLine[] = [];
  const idsOf = rememberIds(ids);
  for (const one of advanced) {
    const { attemptId } = one;
    const lines = one.update.points.map(({ keys, ...line }) => {
      return { ...line, attemptId, metricIds: idsOf(keys) };
    });
    const numInBlocks = countForBlocks(one);
    if (numInBlocks > 0) {
      // Single rows must be the newest, so those before the new blocks are compacted first.
      if (one.numMetricLines > lines.length) await compactPoints(client, attemptId, { isOver: true });
      await appendBlocks(client, { attemptId, hasTimes: one.hasTimes }, lines.slice(0, numInBlocks));
    }
    rows.push(...lines.slice(numInBlocks));
  }
  await appendPoints(client, rows);
  for (const one of advanced) {
    await insertOriginals(client, one);
    await insertRejected(client, one);
    await insertRemarks(client, one);
  }
  await insertLoggedChanges(
    client,
    advanced.flatMap(({ runId, update }) => update.changes.map(({ iteration, text }) => ({ runId, iteration, text }))),
  );
  await insertTraces(
    client,
    advanced.flatMap(({ runId, update }) => update.traces.map((traces) => ({ ...traces, runId }))),
  );
  await updateRuns(client, advanced);
  for (const one of advanced) {
    const { attemptId, numMetricLines, update } = one;
    const isTried = countForBlocks(one) === 0 && fillsBlock(numMetricLines, update.points.length);
    if (isTried) await compactPoints(client, attemptId, { isOver: false });
  }
  return advanced.map(({ runId, attemptId, update }) => ({ runId, attemptId, update }));
}

/** Returns a function that maps metric keys to ids. Lines with the same metrics share one list of ids. */
function rememberIds(ids: ReadonlyMap<string, number>): (keys: readonly string[]) => readonly number[] {
  const known = new Map<readonly string[], readonly number[]>();
  return (keys) => {
    const found = known.get(keys) ?? keys.map((key) => ids.get(key) ?? missing(key));
    known.set(keys, found);
    return found;
  };
}

// Compaction pays when the new lines complete a block: after every line it would cost more than it saves.
function fillsBlock(numLines: number, numNew: number): boolean {
  return Math.floor(numLines / consecutivePoints) > Math.floor((numLines - numNew) / consecutivePoints);
}

// Complete blocks of a long update, and all lines of a log that ends here, are written as blocks.
function countForBlocks({ update: { points, done } }: Advanced): number {
  if (points.length < consecutivePoints) return 0;
  return done === null ? points.length - (points.length % consecutivePoints) : points.length;
}

type Advanced = StoredUpdate & z.infer<typeof Moved>;

// Moves log offsets that are unchanged since they were read. Rows stay locked, so a second process finds new offsets.
async function advance(client: PoolClient, updates: readonly AttemptUpdate[]): Promise<Advanced[]> {
  const all = updates.map(({ update }) => update);
  const rows = await readRows(client, Moved, {
    sql: `UPDATE attempt SET log_offset = new.next, last_seq = new.last_seq,
       num_metric_lines = attempt.num_metric_lines + new.num_lines, num_rejected = attempt.num_rejected + new.num_rejected,
       started = coalesce(new.started, attempt.started), done = coalesce(new.done, attempt.done),
       last_event_at = coalesce(to_timestamp(new.at_ms / 1000), last_event_at)
     FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::int[], $5::int[], $6::int[], $7::float8[], $8::jsonb[],
       $9::jsonb[]) AS new(id, before, next, last_seq, num_lines, num_rejected, at_ms, started, done)
     WHERE attempt.id = new.id AND attempt.log_offset = new.before
     RETURNING attempt.id AS "attemptId", run_id AS "runId", number, num_metric_lines AS "numMetricLines",
       node = 'tracking' AS "hasTimes"`,
    values: [
      updates.map(({ attemptId }) => attemptId),
      all.map(({ logOffset }) => logOffset),
      all.map(({ nextOffset }) => nextOffset),
      all.map(({ lastSeq }) => lastSeq),
      all.map(({ points }) => points.length),
      all.map(({ rejected }) => rejected.length),
      all.map(({ lastEventAtMs }) => lastEventAtMs),
      all.map(({ started }) => started && JSON.stringify(started)),
      all.map(({ done }) => done && JSON.stringify(done)),
    ],
  });
  const rowOf = new Map(rows.map((row) => [row.attemptId, row]));
  return updates.flatMap(({ attemptId, update }) => {
    const row = rowOf.get(attemptId);
    return row ? [{ ...row, update }] : [];
  });
}

const Moved = z.object({
  attemptId: z.int(),
  runId: z.string(),
  number: z.int(),
  numMetricLines: z.int(),
  hasTimes: z.boolean(),
});

async function insertOriginals(client: PoolClient, { runId, update: { originals } }: Advanced): Promise<void> {
  const keys = Object.keys(originals);
  if (keys.length === 0) return;
  await client.query(
    `INSERT INTO metric_alias (run_id, key, original) SELECT $1, * FROM unnest($2::text[], $3::text[])
     ON CONFLICT (run_id, key) DO UPDATE SET original = excluded.original`,
    [runId, keys.map(toStorable), Object.values(originals).map(toStorable)],
  );
}

async function insertRejected(client: PoolClient, { attemptId, update: { rejected } }: Advanced): Promise<void> {
  if (rejected.length === 0) return;
  await client.query(
    `INSERT INTO rejected_line (attempt_id, "offset", text, problem)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[])`,
    [
      attemptId,
      rejected.map(({ offset }) => offset),
      rejected.map(({ text }) => toStorable(text)),
      rejected.map(({ problem }) => toStorable(problem)),
    ],
  );
}

/** Counts the runs with log lines that were not understood, by the studio or by the reader of another trainer's log. */
export async function countUnread(pool: Pool, runIds: readonly string[]): Promise<number> {
  const [count = 0] = await readColumn(pool, z.number(), {
    sql: `SELECT count(*)::int FROM run r WHERE r.id = ANY($1) AND (
       EXISTS (SELECT FROM rejected_line l JOIN attempt a ON a.id = l.attempt_id
         WHERE a.run_id = r.id AND l.problem NOT LIKE 'line % again, after line %')
       OR EXISTS (SELECT FROM status_event e
         WHERE e.run_id = r.id AND e.source = 'trainer' AND e.reason = 'reading' AND e.text LIKE '%' || $2 || '%'))`,
    values: [runIds, notUnderstood],
  });
  return count;
}

async function insertRemarks(client: PoolClient, { runId, number, update }: Advanced): Promise<void> {
  const { notes, remarks } = update;
  const events = [
    ...notes.map(({ level, about, text }) => ({ source: "trainer", reason: about ?? level, text })),
    ...remarks.map((text) => ({ source: "orchestrator", reason: "log", text })),
  ];
  if (events.length === 0) return;
  await client.query(
    `INSERT INTO status_event (run_id, attempt, source, status, reason, text)
     SELECT run.id, $2, event.source, run.status, event.reason, event.text
     FROM run, unnest($3::text[], $4::text[], $5::text[]) AS event(source, reason, text) WHERE run.id = $1`,
    [
      runId,
      number,
      events.map(({ source }) => source),
      events.map(({ reason }) => reason),
      events.map(({ text }) => toStorable(text)),
    ],
  );
}

async function updateRuns(client: PoolClient, advanced: readonly Advanced[]): Promise<void> {
  const iterations = advanced.map(({ update: { latestIteration } }) => latestIteration ?? {});
  await client.query(
    `WITH changed AS (
       UPDATE run SET latest_iteration = greatest(coalesce(new.reset_to, latest_iteration), coalesce(new.raise_to, 0))
       FROM unnest($1::text[], $2::int[], $3::int[], $4::boolean[]) AS new(run_id, reset_to, raise_to, has_remarks)
       WHERE run.id = new.run_id RETURNING id, sweep_id, has_remarks
     )
     SELECT pg_notify('arlarena', json_build_object('sweepId', sweep_id, 'runId', id, 'kind', kind)::text)
     FROM changed, unnest(CASE WHEN has_remarks THEN ARRAY['points', 'status'] ELSE ARRAY['points'] END) AS kind`,
    [
      advanced.map(({ runId }) => runId),
      iterations.map((latest) => ("resetTo" in latest ? latest.resetTo : null)),
      iterations.map((latest) => ("raiseTo" in latest ? latest.raiseTo : null)),
      advanced.map(({ update: { notes, remarks } }) => notes.length + remarks.length > 0),
    ],
  );
}

const maxTextLength = 4000;

// The log contains the whole text. PostgreSQL's text cannot contain NUL.
function toStorable(text: string): string {
  const cut = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}… (${text.length} characters)` : text;
  return cut.replaceAll("\0", "␀");
}

function missing(key: string): never {
  throw new Error(`metric ${key} has no number`);
}
