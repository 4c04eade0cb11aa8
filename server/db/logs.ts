import type { Pool, PoolClient } from "pg";
import type { RunEvent } from "#trainer/spec/event.ts";
import { advanceDetections } from "./detections.ts";
import { inTransaction } from "./inTransaction.ts";
import { appendPoints, compactPoints, type MetricIds, type PointLine } from "./pointWrites.ts";

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

/** What the lines between two offsets of an attempt's log change. */
export type LogUpdate = {
  logOffset: number;
  nextOffset: number;
  lastSeq: number;
  lastEventAtMs: number | null;
  points: (Omit<PointLine, "attemptId" | "metricIds"> & { keys: readonly string[] })[];
  /** What another trainer calls metrics of these. */
  originals: Readonly<Record<string, string>>;
  started: EventOf<"started"> | null;
  done: EventOf<"done"> | null;
  latestIteration: { resetTo: number } | { raiseTo: number } | null;
  notes: EventOf<"note">[];
  /** What the reader noticed about the log itself. */
  remarks: string[];
  rejected: { offset: number; text: string; problem: string }[];
};

/**
 * Applies lines and their offset in one transaction, or nothing at all: `false` when the log has meanwhile been read
 * from `logOffset` on by somebody else. So each line counts exactly once, whoever reads and whenever they die. With it,
 * whether the detector has to read the run again from its start, or look back on a run that is over.
 */
export async function applyLogUpdate(
  pool: Pool,
  { attemptId, update, metricIds }: { attemptId: number; update: LogUpdate; metricIds: MetricIds },
): Promise<false | { runId: string; needsReplay: boolean }> {
  const ids = await metricIds(update.points.flatMap(({ keys }) => keys));
  const lines = update.points.map(({ keys, ...line }) => ({
    ...line,
    attemptId,
    metricIds: keys.map((key) => ids.get(key) ?? missing(key)),
  }));
  return await inTransaction(pool, async (client) => {
    const attempt = await advance(client, attemptId, update);
    if (attempt === undefined) return false;
    await appendPoints(client, lines);
    await insertOriginals(client, attempt.runId, update);
    await insertRejected(client, attemptId, update);
    await insertRemarks(client, attempt, update);
    await updateRun(client, attempt.runId, update);
    if (fillsBlock(attempt.numMetricLines, lines.length)) await compactPoints(client, attemptId, { isOver: false });
    const { runId } = attempt;
    const lost = await advanceDetections(client, [{ runId, attemptId, points: update.points }]);
    return { runId, needsReplay: lost.has(runId) || update.done !== null };
  });
}

/** Whether lines bring nothing but points, as nearly all of a live run do. */
export function isPlain({ started, done, notes, remarks, rejected, originals, points }: LogUpdate): boolean {
  const others = [notes, remarks, rejected, Object.keys(originals)];
  return started === null && done === null && points.length > 0 && others.every(({ length }) => length === 0);
}

export type PlainUpdate = { attemptId: number; update: LogUpdate };

/**
 * Applies plain lines of many attempts in one transaction: a thousand live runs write dozens a second, and a
 * transaction each would cost more than what is in it. Returns the attempts whose lines are stored now (others were
 * read by somebody else meanwhile), and the runs that the detector has to read again.
 */
export async function applyPlainUpdates(
  pool: Pool,
  { updates, metricIds }: { updates: readonly PlainUpdate[]; metricIds: MetricIds },
): Promise<{ applied: ReadonlySet<number>; toReplay: ReadonlySet<string> }> {
  const ids = await metricIds(updates.flatMap(({ update }) => update.points.flatMap(({ keys }) => keys)));
  return await inTransaction(pool, async (client) => {
    const { rows } = await client.query<Advanced & { attemptId: number }>(
      `UPDATE attempt SET log_offset = new.next, last_seq = new.last_seq, last_event_at = to_timestamp(new.at_ms / 1000),
         num_metric_lines = num_metric_lines + new.num_lines
       FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::int[], $5::int[], $6::float8[])
         AS new(id, before, next, last_seq, num_lines, at_ms)
       WHERE attempt.id = new.id AND attempt.log_offset = new.before
       RETURNING attempt.id AS "attemptId", run_id AS "runId", number, num_metric_lines AS "numMetricLines"`,
      [
        updates.map(({ attemptId }) => attemptId),
        updates.map(({ update }) => update.logOffset),
        updates.map(({ update }) => update.nextOffset),
        updates.map(({ update }) => update.lastSeq),
        updates.map(({ update }) => update.points.length),
        updates.map(({ update }) => update.lastEventAtMs),
      ],
    );
    const advancedOf = new Map(rows.map((row) => [row.attemptId, row]));
    const own = updates.flatMap(({ attemptId, update }) => {
      const attempt = advancedOf.get(attemptId);
      return attempt ? [{ ...attempt, update }] : [];
    });
    await appendPoints(
      client,
      own.flatMap(({ attemptId, update: { points } }) =>
        points.map(({ keys, ...line }) => ({
          ...line,
          attemptId,
          metricIds: keys.map((key) => ids.get(key) ?? missing(key)),
        })),
      ),
    );
    await raiseIterations(client, own);
    for (const { attemptId, numMetricLines, update } of own) {
      if (fillsBlock(numMetricLines, update.points.length)) await compactPoints(client, attemptId, { isOver: false });
    }
    const toReplay = await advanceDetections(
      client,
      own.map(({ runId, attemptId, update: { points } }) => ({ runId, attemptId, points })),
    );
    return { applied: new Set(advancedOf.keys()), toReplay };
  });
}

// A block's worth of lines at a time; a look each time would cost more than it finds.
function fillsBlock(numLines: number, numNew: number): boolean {
  return Math.floor(numLines / 240) > Math.floor((numLines - numNew) / 240);
}

async function raiseIterations(client: PoolClient, own: readonly { runId: string; update: LogUpdate }[]) {
  await client.query(
    `WITH changed AS (
       UPDATE run SET latest_iteration = greatest(latest_iteration, new.iteration)
       FROM unnest($1::text[], $2::int[]) AS new(run_id, iteration) WHERE run.id = new.run_id RETURNING id, sweep_id
     )
     SELECT pg_notify('arlarena', json_build_object('sweepId', sweep_id, 'runId', id, 'kind', 'points')::text)
     FROM changed`,
    [
      own.map(({ runId }) => runId),
      own.map(({ update: { latestIteration } }) =>
        latestIteration !== null && "raiseTo" in latestIteration ? latestIteration.raiseTo : 0,
      ),
    ],
  );
}

type Advanced = { runId: string; number: number; numMetricLines: number };

// Compare and set: the row stays locked until the transaction ends, and a second reader then finds another offset.
async function advance(client: PoolClient, attemptId: number, update: LogUpdate): Promise<Advanced | undefined> {
  const { started, done, lastEventAtMs } = update;
  const { rows } = await client.query<Advanced>(
    `UPDATE attempt SET log_offset = $3, last_seq = $4, num_metric_lines = num_metric_lines + $5,
       num_rejected = num_rejected + $6, started = coalesce($7, started), done = coalesce($8, done),
       last_event_at = coalesce(to_timestamp($9::float8 / 1000), last_event_at)
     WHERE id = $1 AND log_offset = $2
     RETURNING run_id AS "runId", number, num_metric_lines AS "numMetricLines"`,
    [
      attemptId,
      update.logOffset,
      update.nextOffset,
      update.lastSeq,
      update.points.length,
      update.rejected.length,
      started && JSON.stringify(started),
      done && JSON.stringify(done),
      lastEventAtMs,
    ],
  );
  return rows[0];
}

async function insertOriginals(client: PoolClient, runId: string, { originals }: LogUpdate): Promise<void> {
  const keys = Object.keys(originals);
  if (keys.length === 0) return;
  await client.query(
    `INSERT INTO metric_alias (run_id, key, original) SELECT $1, * FROM unnest($2::text[], $3::text[])
     ON CONFLICT (run_id, key) DO UPDATE SET original = excluded.original`,
    [runId, keys.map(toStorable), Object.values(originals).map(toStorable)],
  );
}

async function insertRejected(client: PoolClient, attemptId: number, { rejected }: LogUpdate): Promise<void> {
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

async function insertRemarks(client: PoolClient, attempt: Advanced, { notes, remarks }: LogUpdate): Promise<void> {
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
      attempt.runId,
      attempt.number,
      events.map(({ source }) => source),
      events.map(({ reason }) => reason),
      events.map(({ text }) => toStorable(text)),
    ],
  );
}

async function updateRun(client: PoolClient, runId: string, { latestIteration, notes, remarks }: LogUpdate) {
  const resetTo = latestIteration !== null && "resetTo" in latestIteration ? latestIteration.resetTo : null;
  const raiseTo = latestIteration !== null && "raiseTo" in latestIteration ? latestIteration.raiseTo : null;
  const kinds = notes.length + remarks.length > 0 ? ["points", "status"] : ["points"];
  await client.query(
    `WITH changed AS (
       UPDATE run SET latest_iteration = greatest(coalesce($2, latest_iteration), coalesce($3, 0))
       WHERE id = $1 RETURNING id, sweep_id
     )
     SELECT pg_notify('arlarena', json_build_object('sweepId', sweep_id, 'runId', id, 'kind', kind)::text)
     FROM changed, unnest($4::text[]) AS kind`,
    [runId, resetTo, raiseTo, kinds],
  );
}

const maxTextLength = 4000;

// The log keeps what is cut here. PostgreSQL's text has no NUL.
function toStorable(text: string): string {
  const cut = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}… (${text.length} characters)` : text;
  return cut.replaceAll("\0", "␀");
}

function missing(key: string): never {
  throw new Error(`metric ${key} has no number`);
}
