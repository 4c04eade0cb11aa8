import { z } from "zod";
import type { Field } from "#server/domain/runs/table/field.ts";
import type { Condition } from "#server/domain/runs/table/resolveFilter.ts";
import type { Pool } from "../../storage/client.ts";
import { readColumn, readRows, RunReasonColumn, RunStatusColumn } from "../../storage/readRows.ts";
import type { Look } from "#server/domain/plan/sweep/methods/looks.ts";
import { readLabels, withLooks } from "../../plan/cells.ts";
import { makeQuery, type Query } from "./query.ts";
import { whereSql } from "./where.ts";
import { shortLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";

export type FieldOrder = readonly { field: Field; isDescending: boolean }[];

export type Asked = { conditions: readonly Condition[]; order: FieldOrder; columns: readonly Field[] };

/** Value of a field in the table of runs; null if a run has no value. */
export const CellValue = z.union([z.number(), z.string(), z.date(), z.array(z.string()), z.null()]);
export type CellValue = z.infer<typeof CellValue>;

const Row = z.object({
  id: z.string(),
  sweepId: z.string(),
  cellId: z.number(),
  method: z.string(),
  /** Text that distinguishes the run's cell from other cells of the same method, what differs first; may be empty. */
  label: z.string(),
  seed: z.number(),
  status: RunStatusColumn,
  reason: RunReasonColumn,
  total: z.number(),
});
export type RunTableRow = Omit<z.output<typeof Row>, "total"> & { look: Look; values: CellValue[] };

/** Reads matching runs from `offset` on, and the number of all matches. */
export async function readRunWindow(
  pool: Pool,
  { columns, ...asked }: Asked,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; rows: RunTableRow[] }> {
  const page = makeQuery();
  const where = whereSql(page, asked.conditions);
  const order = orderSql(page, asked.order);
  // Ids are read first, so that columns are looked up only for the runs that are returned.
  const ids = await readRows(pool, z.object({ id: z.string(), total: z.number() }), {
    sql: `SELECT r.id, count(*) OVER ()::int AS total FROM ${page.from()}
     WHERE ${where} ORDER BY ${order} OFFSET ${page.param(offset)} LIMIT ${page.param(limit)}`,
    values: page.values(),
  });
  const rows = await readRunsById(
    pool,
    ids.map(({ id }) => id),
    columns,
  );
  return { total: ids[0]?.total ?? 0, rows };
}

/** Reads these runs in the order of the ids; runs that were deleted are left out. */
export async function readRunsById(
  pool: Pool,
  ids: readonly string[],
  columns: readonly Field[],
): Promise<RunTableRow[]> {
  if (ids.length === 0) return [];
  const query = makeQuery();
  const list = query.param(ids);
  const expressions = columns.map((field) => query.expression(field));
  const names = expressions.map((expression, i) => `, ${expression} AS v${i}`).join("");
  const rows = await readRows(pool, Row.omit({ total: true }).catchall(CellValue), {
    sql: `SELECT r.id, r.sweep_id AS "sweepId", r.cell_id AS "cellId", c.method, c.label, r.seed, r.status, r.reason${names}
     FROM unnest(${list}::text[]) WITH ORDINALITY AS asked(id, place) JOIN ${query.from("run r ON r.id = asked.id")}
     ORDER BY asked.place`,
    values: query.values(),
  });
  const labels = await readLabels(pool, [...new Set(rows.map(({ sweepId }) => sweepId))]);
  const looking = await withLooks(pool, rows, ({ cellId }) => cellId);
  return looking.map(({ id, sweepId, cellId, method, label, seed, status, reason, look, ...rest }) => {
    const values = columns.map(({ key }, i) => {
      const value = rest[`v${i}`] ?? null;
      return key === "configuration" && typeof value === "string" ? shortLabel(value) : value;
    });
    return {
      id,
      sweepId,
      cellId,
      method,
      label: labels.get(cellId) ?? shortLabel(label),
      seed,
      status,
      reason,
      look,
      values,
    };
  });
}

const Matching = z.object({ id: z.string(), sweepId: z.string() });
export type MatchingRun = z.infer<typeof Matching>;

export async function readMatching(pool: Pool, asked: Omit<Asked, "columns">, limit: number): Promise<MatchingRun[]> {
  const query = makeQuery();
  const where = whereSql(query, asked.conditions);
  const order = orderSql(query, asked.order);
  return readRows(pool, Matching, {
    sql: `SELECT r.id, r.sweep_id AS "sweepId" FROM ${query.from()} WHERE ${where} ORDER BY ${order} LIMIT ${query.param(limit)}`,
    values: query.values(),
  });
}

/** Missing values come last in both directions; ties are in plan order, newest sweep first. */
function orderSql(query: Query, order: FieldOrder): string {
  const asked = order.map(({ field, isDescending }) => {
    return `${query.expression(field)} ${isDescending ? "DESC" : "ASC"} NULLS LAST`;
  });
  return [...asked, "s.created_at DESC", "s.id", "c.index", "r.seed"].join(", ");
}

/** Returns ids in plan order: the runs of sweeps (archived ones still count), or a filter's matches. */
export async function readStudiedIds(
  pool: Pool,
  { conditions }: { conditions: readonly Condition[] },
  limit: number,
): Promise<string[]> {
  const query = makeQuery();
  const where = whereSql(query, conditions);
  return readColumn(pool, z.string(), {
    sql: `SELECT r.id FROM ${query.from()} WHERE ${where} ORDER BY s.created_at, s.id, c.index, r.seed LIMIT ${query.param(limit)}`,
    values: query.values(),
  });
}

export async function readSpecs(pool: Pool, runIds: readonly string[]): Promise<unknown[]> {
  return readColumn(pool, z.unknown(), {
    sql: "SELECT spec FROM cell WHERE id IN (SELECT cell_id FROM run WHERE id = ANY($1)) ORDER BY id",
    values: [runIds],
  });
}

/** Lists the metrics of which any of these runs has a summary, and the parameters that any of them has logged. */
export async function readNames(
  pool: Pool,
  runIds: readonly string[],
): Promise<{ metrics: string[]; tracked: string[] }> {
  const [metrics = [], tracked = []] = await Promise.all(
    [
      "SELECT key FROM metric_name WHERE id IN (SELECT metric_id FROM metric_summary WHERE run_id = ANY($1)) ORDER BY 1",
      "SELECT DISTINCT key FROM tracked_value WHERE kind = 'param' AND run_id = ANY($1) ORDER BY 1",
    ].map((sql) => readColumn(pool, z.string(), { sql, values: [runIds] })),
  );
  return { metrics, tracked };
}

/** Lists the values of a field that contain a text, most frequent first. */
export async function readFieldValues(
  pool: Pool,
  field: Field,
  { text, limit }: { text: string; limit: number },
): Promise<{ value: string; count: number }[]> {
  const query = makeQuery();
  const value = query.expression(field);
  const one =
    field.type === "list"
      ? `unnest(${value})`
      : field.type === "date"
        ? `to_char(${value}, 'YYYY-MM-DD')`
        : `(${value})::text`;
  const pattern = query.param(`%${text.replaceAll(/[\\%_]/g, "\\$&")}%`);
  return readRows(pool, z.object({ value: z.string(), count: z.number() }), {
    sql: `SELECT value, count(*)::int AS count FROM (SELECT ${one} AS value FROM ${query.from()} WHERE ${whereSql(query, [])}) AS one
     WHERE value <> '' AND value ILIKE ${pattern} GROUP BY value ORDER BY 2 DESC, 1 LIMIT ${query.param(limit)}`,
    values: query.values(),
  });
}
