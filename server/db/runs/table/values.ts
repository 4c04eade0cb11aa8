import { z } from "zod";
import type { Field } from "#server/domain/runs/table/field.ts";
import type { Pool } from "../../storage/client.ts";
import { readRows } from "../../storage/readRows.ts";
import { makeQuery } from "./query.ts";
import { whereSql } from "./where.ts";

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
