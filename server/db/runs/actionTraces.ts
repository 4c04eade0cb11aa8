import type { PoolClient } from "pg";
import { z } from "zod";
import type { TracesEvent } from "#trainer/spec/event.ts";
import type { Pool } from "../storage/client.ts";
import { readRows } from "../storage/readRows.ts";

type LoggedTraces = Pick<TracesEvent, "iteration" | "environment" | "part" | "unseen" | "tasks"> & { runId: string };

/** Stores the actions of evaluations. An evaluation that a later attempt repeats replaces the earlier one. */
export async function insertTraces(client: PoolClient, logged: readonly LoggedTraces[]): Promise<void> {
  if (logged.length === 0) return;
  const newest = [
    ...new Map(logged.map((one) => [`${one.runId} ${one.iteration} ${one.unseen} ${one.part}`, one])).values(),
  ];
  await client.query(
    `INSERT INTO action_trace (run_id, iteration, part, unseen, environment, tasks)
     SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::boolean[], $5::text[], $6::jsonb[])
     ON CONFLICT (run_id, iteration, part, unseen)
     DO UPDATE SET environment = excluded.environment, tasks = excluded.tasks`,
    [
      newest.map(({ runId }) => runId),
      newest.map(({ iteration }) => iteration),
      newest.map(({ part = "" }) => part),
      newest.map(({ unseen = false }) => unseen),
      newest.map(({ environment }) => environment),
      newest.map(({ tasks }) => JSON.stringify(tasks)),
    ],
  );
}

const TraceRow = z.object({
  runId: z.string(),
  iteration: z.int(),
  part: z.string(),
  environment: z.string(),
  tasks: z.array(z.tuple([z.int()], z.string())),
});
export type TraceRow = z.infer<typeof TraceRow>;

/**
 * Reads the actions in episodes on tasks of the trained kinds, for each run at its first and last
 * evaluation. Rows of an attempt that a newer one has overtaken are left out.
 */
export async function readTraces(pool: Pool, runIds: readonly string[]): Promise<TraceRow[]> {
  return readRows(pool, TraceRow, {
    sql: `WITH counted AS (
       SELECT t.*, min(t.iteration) OVER own AS first, max(t.iteration) OVER own AS last
       FROM action_trace t JOIN run r ON r.id = t.run_id
       WHERE t.run_id = ANY($1) AND NOT t.unseen AND t.iteration <= r.latest_iteration
       WINDOW own AS (PARTITION BY t.run_id)
     )
     SELECT run_id AS "runId", iteration, part, environment, tasks FROM counted
     WHERE iteration IN (first, last) ORDER BY run_id, iteration, part`,
    values: [runIds],
  });
}
