import { z } from "zod";
import { runStatuses } from "#server/domain/runs/runStatus.ts";
import type { Pool } from "../storage/client.ts";
import { readRows } from "../storage/readRows.ts";

const StudioSweep = z.object({ id: z.string(), name: z.string(), createdAt: z.date(), tags: z.array(z.string()) });
export type StudioSweep = z.infer<typeof StudioSweep>;

/** Lists the studio's sweeps, newest first, without those that external programs report. */
export async function listStudioSweeps(pool: Pool, wanted?: { name: string } | { id: string }): Promise<StudioSweep[]> {
  const column = wanted === undefined || "id" in wanted ? "id" : "name";
  const value = wanted === undefined ? null : "id" in wanted ? wanted.id : wanted.name;
  return readRows(pool, StudioSweep, {
    sql: `SELECT id, name, created_at AS "createdAt", tags FROM sweep
     WHERE origin <> 'tracking' AND ($1::text IS NULL OR ${column} = $1) ORDER BY created_at DESC, id`,
    values: [value],
  });
}

const StudioRun = z.object({
  id: z.string(),
  sweepId: z.string(),
  cellId: z.number(),
  seed: z.number(),
  status: z.enum(runStatuses),
  createdAt: z.date(),
  startedAt: z.date().nullable(),
  endedAt: z.date().nullable(),
  latestIteration: z.number(),
  tags: z.array(z.string()),
  note: z.string(),
});
export type StudioRun = z.infer<typeof StudioRun>;

/** Reads the runs of these sweeps, or runs by id, newest first. Runs that external programs report are left out. */
export async function readStudioRuns(
  pool: Pool,
  { sweepIds = null, runIds = null }: { sweepIds?: readonly string[] | null; runIds?: readonly string[] | null },
): Promise<StudioRun[]> {
  return readRows(pool, StudioRun, {
    sql: `SELECT r.id, r.sweep_id AS "sweepId", r.cell_id AS "cellId", r.seed, r.status, r.created_at AS "createdAt",
       r.started_at AS "startedAt", r.ended_at AS "endedAt", r.latest_iteration AS "latestIteration", r.tags, r.note
     FROM run r JOIN sweep s ON s.id = r.sweep_id
     WHERE s.origin <> 'tracking' AND ($1::text[] IS NULL OR r.sweep_id = ANY($1)) AND ($2::text[] IS NULL OR r.id = ANY($2))
     ORDER BY r.created_at DESC, r.id`,
    values: [sweepIds, runIds],
  });
}

const StudioCell = z.object({ id: z.number(), method: z.string(), label: z.string(), spec: z.unknown() });
export type StudioCell = z.infer<typeof StudioCell>;

export async function readStudioCells(pool: Pool, cellIds: readonly number[]): Promise<Map<number, StudioCell>> {
  const cells = await readRows(pool, StudioCell, {
    sql: "SELECT id, method, label, spec FROM cell WHERE id = ANY($1)",
    values: [cellIds],
  });
  return new Map(cells.map((cell) => [cell.id, cell]));
}

const Last = z.object({ runId: z.string(), key: z.string(), last: z.number() });

/** Reads the last finite value of each metric from the stored summaries of these runs. */
export async function readLastValues(pool: Pool, runIds: readonly string[]): Promise<z.infer<typeof Last>[]> {
  return readRows(pool, Last, {
    sql: `SELECT s.run_id AS "runId", m.key, s.last FROM metric_summary s JOIN metric_name m ON m.id = s.metric_id
     WHERE s.run_id = ANY($1) AND s.last IS NOT NULL ORDER BY m.key`,
    values: [runIds],
  });
}
