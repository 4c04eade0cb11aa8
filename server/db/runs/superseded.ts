import type { Pool } from "pg";
import { z } from "zod";
import type { GhostSeries } from "#server/domain/runs/series/ghosts.ts";
import { readRows, RunReasonColumn } from "../storage/readRows.ts";
import { readAttempts, readParts, type Selection } from "./points.ts";
import { superseded } from "./stitch.ts";

const Restart = z.object({
  runId: z.string(),
  attempt: z.int(),
  iteration: z.int(),
  reason: RunReasonColumn,
});
type Restart = z.output<typeof Restart>;

/** Reads the restarts, by run and attempt, except those after which nothing was logged. */
export async function readRestarts(pool: Pool, runIds: readonly string[]): Promise<Restart[]> {
  return readRows(pool, Restart, {
    sql: `SELECT a.run_id AS "runId", a.number AS attempt, (a.started->>'firstIteration')::int AS iteration, b.reason
     FROM attempt a JOIN attempt b ON b.run_id = a.run_id AND b.number = a.number - 1
     WHERE a.run_id = ANY($1) AND a.num_metric_lines > 0 AND a.started IS NOT NULL ORDER BY a.run_id, a.number`,
    values: [runIds],
  });
}

export async function readSuperseded(pool: Pool, { runIds, keys }: Selection): Promise<GhostSeries[]> {
  const attempts = await readAttempts(pool, runIds);
  const numOf = new Map<string, number>();
  for (const { runId } of attempts) numOf.set(runId, (numOf.get(runId) ?? 0) + 1);
  const restarted = attempts.filter(({ runId }) => (numOf.get(runId) ?? 0) > 1);
  const whole = restarted.map((attempt) => ({ ...attempt, afterSeq: -1 }));
  const series = await readParts(pool, whole, { runIds: [...new Set(restarted.map(({ runId }) => runId))], keys });
  return series.flatMap(({ runId, key, parts }) =>
    superseded(parts).map(({ number, iterations, values }) => ({ runId, key, attempt: number, iterations, values })),
  );
}
