import { z } from "zod";
import type { Field } from "#server/domain/runtable/field.ts";
import type { RawGroup } from "#server/domain/runtable/summariseGroup.ts";
import type { Pool } from "../client.ts";
import { readRows } from "../readRows.ts";
import { makeQuery } from "./query.ts";
import type { Asked } from "./rows.ts";
import { whereSql } from "./where.ts";

const Key = z.array(z.string().nullable());
const Group = z.object({ keys: Key, count: z.number(), numSweeps: z.number() });
const Values = z.union([z.array(z.number().nullable()), z.array(z.string().nullable())]);

/** Runs that match, by equal values of some fields, with all that their columns hold; at most `limit` groups. */
export async function readGroups(
  pool: Pool,
  { conditions, columns, by }: Pick<Asked, "conditions" | "columns"> & { by: readonly Field[] },
  limit: number,
): Promise<RawGroup[]> {
  const query = makeQuery();
  const where = whereSql(query, conditions);
  const keys = by.map((field) => toText(field, query.expression(field)));
  const values = columns.map((field) => toValue(field, query.expression(field)));
  const rows = await readRows(pool, Group.catchall(Values), {
    sql: `SELECT ARRAY[${keys.map((_, i) => `k${i}`).join(", ")}] AS keys, count(*)::int AS count,
       count(DISTINCT sweep_id)::int AS "numSweeps"${columns.map((_, i) => `, array_agg(v${i}) AS v${i}`).join("")}
     FROM (
       SELECT r.sweep_id, ${[...keys.map((key, i) => `${key} AS k${i}`), ...values.map((value, i) => `${value} AS v${i}`)].join(", ")}
       FROM ${query.from()} WHERE ${where} ORDER BY r.id
     ) AS run GROUP BY ${keys.map((_, i) => `k${i}`).join(", ")} ORDER BY 1 LIMIT ${query.param(limit)}`,
    values: query.values(),
  });
  return rows.map(({ keys, count, numSweeps, ...rest }) => {
    return { keys, count, numSweeps, values: columns.map((_, i) => rest[`v${i}`] ?? []) };
  });
}

function toText({ type }: Field, expression: string): string {
  // A day is a group; a millisecond is none.
  if (type === "date") return `to_char(${expression}, 'YYYY-MM-DD')`;
  return type === "list" ? `nullif(array_to_string(${expression}, ', '), '')` : `(${expression})::text`;
}

function toValue({ type }: Field, expression: string): string {
  if (type === "date") return `(extract(epoch FROM ${expression}) * 1000)::float8`;
  return type === "list" ? `array_to_string(${expression}, ', ')` : expression;
}
