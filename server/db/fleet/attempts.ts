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
