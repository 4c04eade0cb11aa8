import { z } from "zod";
import type { Condition } from "#server/domain/runs/table/resolveFilter.ts";
import type { Pool } from "../../storage/client.ts";
import { countedSql } from "../../storage/sql.ts";
import { readRows } from "../../storage/readRows.ts";
import { makeQuery } from "./query.ts";
import { whereSql } from "./where.ts";

const Id = z.object({ id: z.string() });

/** Runs of sweeps (archived ones included, since they still count), or the result of a filter. In plan order. */
export async function readStudiedIds(
  pool: Pool,
  scope: { sweepIds: readonly string[] } | { conditions: readonly Condition[] },
  limit: number,
): Promise<string[]> {
  const query = makeQuery();
  const where =
    "sweepIds" in scope
      ? `r.sweep_id = ANY(${query.param(scope.sweepIds)}) AND ${countedSql("r")}`
      : whereSql(query, scope.conditions);
  const rows = await readRows(pool, Id, {
    sql: `SELECT r.id FROM ${query.from()} WHERE ${where} ORDER BY s.created_at, s.id, c.index, r.seed LIMIT ${query.param(limit)}`,
    values: query.values(),
  });
  return rows.map(({ id }) => id);
}

/** Specifications of the cells of these runs, without duplicates. */
export async function readSpecs(pool: Pool, runIds: readonly string[]): Promise<unknown[]> {
  const rows = await readRows(pool, z.object({ spec: z.unknown() }), {
    sql: "SELECT spec FROM cell WHERE id IN (SELECT cell_id FROM run WHERE id = ANY($1)) ORDER BY id",
    values: [runIds],
  });
  return rows.map(({ spec }) => spec);
}

/** Metrics with a summary in any of these runs, and parameters sent by any of them. */
export async function readNames(
  pool: Pool,
  runIds: readonly string[],
): Promise<{ metrics: string[]; tracked: string[] }> {
  const [metrics, tracked] = await Promise.all(
    [
      `SELECT key AS id FROM metric_name WHERE id IN (SELECT metric_id FROM metric_summary WHERE run_id = ANY($1)) ORDER BY 1`,
      `SELECT DISTINCT key AS id FROM tracked_value WHERE kind = 'param' AND run_id = ANY($1) ORDER BY 1`,
    ].map((sql) => readRows(pool, Id, { sql, values: [runIds] })),
  );
  return { metrics: (metrics ?? []).map(({ id }) => id), tracked: (tracked ?? []).map(({ id }) => id) };
}
