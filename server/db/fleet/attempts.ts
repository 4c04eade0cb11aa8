import { type JobState, textOf } from "#server/domain/fleet/job.ts";
import { DoneEvent } from "#trainer/spec/event.ts";
import type { Pooled } from "../storage/client.ts";
import { readColumn, readRows } from "../storage/readRows.ts";
import { z } from "zod";

/** Live attempt of a run: it may still have a process, or log lines that are not yet stored. */
const LiveAttemptRow = z.object({
  attemptId: z.int(),
  runId: z.string(),
  number: z.int(),
  jobId: z.string(),
  node: z.string(),
  devices: z.array(z.string()),
  createdAtMs: z.number(),
  jobState: z.string(),
  jobText: z.string().nullable(),
  host: z.string().nullable(),
  logOffset: z.int(),
  lastSeq: z.int(),
  numMetricLines: z.int(),
  done: DoneEvent.nullable(),
});
export type LiveAttemptRow = z.output<typeof LiveAttemptRow>;

/** Reads all live attempts, or those among the given ids that are live. */
export async function readLiveAttempts(
  { pool }: Pooled,
  ids: readonly number[] | null = null,
): Promise<LiveAttemptRow[]> {
  return readRows(pool, LiveAttemptRow, {
    sql: `SELECT id AS "attemptId", run_id AS "runId", number, job_id AS "jobId", node, devices, job_state AS "jobState",
       job_text AS "jobText", host,
       extract(epoch FROM created_at)::float8 * 1000 AS "createdAtMs", log_offset::float8 AS "logOffset",
       last_seq AS "lastSeq", num_metric_lines AS "numMetricLines", done
     FROM attempt WHERE live AND ($1::int[] IS NULL OR id = ANY($1)) ORDER BY id`,
    values: [ids],
  });
}

export async function saveJobState({ pool }: Pooled, attemptId: number, job: JobState): Promise<void> {
  const exitCode = job.state === "exited" ? job.exitCode : null;
  await pool.query(
    "UPDATE attempt SET job_state = $2, exit_code = $3, job_text = $4, host = coalesce($5, host) WHERE id = $1",
    [attemptId, job.state, exitCode, textOf(job), hostOf(job) ?? null],
  );
}

/** True if the observed job state differs from the stored one, so that `saveJobState` would change it. */
export function isNews(attempt: LiveAttemptRow, job: JobState): boolean {
  const host = hostOf(job);
  return (
    job.state !== attempt.jobState || textOf(job) !== attempt.jobText || (host !== undefined && host !== attempt.host)
  );
}

function hostOf(job: JobState): string | undefined {
  return "host" in job ? job.host : undefined;
}

/** Reads ended attempts with uncompacted points, because the studio stopped before it compacted them. */
export async function readUncompacted({ pool }: Pooled): Promise<number[]> {
  return readColumn(pool, z.number(), {
    sql: "SELECT id FROM attempt WHERE NOT live AND EXISTS (SELECT FROM metric_row WHERE attempt_id = attempt.id)",
  });
}

const Pace = z.object({ attemptId: z.int(), iterationMs: z.number() });

/** Reads the mean time of an iteration in each of these attempts, with its start-up; none before the second iteration. */
export async function readPaces({ pool }: Pooled, attemptIds: readonly number[]): Promise<Map<number, number>> {
  if (attemptIds.length === 0) return new Map();
  const rows = await readRows(pool, Pace, {
    sql: `SELECT "attemptId", "spentMs" / iterations AS "iterationMs" FROM (
        SELECT a.id AS "attemptId", r.latest_iteration - (a.started->>'firstIteration')::int + 1 AS iterations,
          extract(epoch FROM a.last_event_at)::float8 * 1000 - (a.started->>'atMs')::float8 AS "spentMs"
        FROM attempt a JOIN run r ON r.id = a.run_id WHERE a.id = ANY($1) AND a.started IS NOT NULL
      ) AS paced WHERE iterations >= 2`,
    values: [attemptIds],
  });
  return new Map(rows.map(({ attemptId, iterationMs }) => [attemptId, iterationMs]));
}
