import { z } from "zod";
import { isMeasured, type Field } from "#server/domain/runs/table/field.ts";
import type { RawColumn, RawGroup } from "#server/domain/runs/table/summariseGroup.ts";
import { environmentSql } from "../../plan/cells.ts";
import type { Pool } from "../../storage/client.ts";
import { readRows } from "../../storage/readRows.ts";
import { isOfCell, makeQuery } from "./query.ts";
import type { Asked } from "./rows.ts";
import { whereSql } from "./where.ts";

const Key = z.array(z.string().nullable());
const Group = z.object({ keys: Key, count: z.number(), numSweeps: z.number(), numEnvironments: z.number() });
const Aggregate = z.union([z.number(), z.string(), z.null()]);

/** Groups runs by equal values, at most `limit` groups. A field of a cell is looked up once per cell. */
export async function readGroups(
  pool: Pool,
  { conditions, columns, by }: Pick<Asked, "conditions" | "columns"> & { by: readonly Field[] },
  limit: number,
): Promise<RawGroup[]> {
  const query = makeQuery();
  const where = whereSql(query, conditions);
  const fields = [
    ...by.map((field, i) => ({ field, name: `k${i}`, value: toText(field, query.expression(field)) })),
    ...columns.map((field, i) => ({ field, name: `v${i}`, value: toValue(field, query.expression(field)) })),
  ];
  const listed = (ofCell: boolean) =>
    fields
      .filter(({ field }) => isOfCell(field) === ofCell)
      .map(({ name, value }) => `, ${value} AS ${name}`)
      .join("");
  const keys = by.map((_, i) => `k${i}`).join(", ");
  const rows = await readRows(pool, Group.catchall(Aggregate), {
    sql: `WITH run AS MATERIALIZED (
       SELECT r.sweep_id, r.cell_id${listed(false)} FROM ${query.from()} WHERE ${where}
     ), of_cell AS MATERIALIZED (
       SELECT c.id, ${environmentSql("c.spec")} AS environment${listed(true)} FROM cell c WHERE c.id IN (SELECT cell_id FROM run)
     )
     SELECT ARRAY[${keys}] AS keys, count(*)::int AS count, count(DISTINCT sweep_id)::int AS "numSweeps",
       count(DISTINCT environment)::int AS "numEnvironments"
       ${columns.map(aggregates).join("")}
     FROM run JOIN of_cell ON of_cell.id = run.cell_id GROUP BY ${keys} ORDER BY 1 LIMIT ${query.param(limit)}`,
    values: query.values(),
  });
  return rows.map(({ keys, count, numSweeps, numEnvironments, ...rest }) => {
    return { keys, count, numSweeps, numEnvironments, columns: columns.map((field, i) => toColumn(field, i, rest)) };
  });
}

function toText({ type }: Field, expression: string): string {
  // Dates are grouped by day.
  if (type === "date") return `to_char(${expression}, 'YYYY-MM-DD')`;
  return type === "list" ? `nullif(array_to_string(${expression}, ', '), '')` : `(${expression})::text`;
}

function toValue(field: Field, expression: string): string {
  const { type } = field;
  if (isMeasured(field)) return expression;
  if (type === "date") return `(extract(epoch FROM ${expression}) * 1000)::float8`;
  // Sorting texts by bytes (collation "C") takes a tenth of the time of sorting them by a language's rules.
  return `${type === "list" ? `array_to_string(${expression}, ', ')` : expression}${type === "number" ? "" : ' COLLATE "C"'}`;
}

/** True for the label in hindsight and for alarms, whose runs are counted. */
function isJudgement({ key }: Field): boolean {
  return key === "hindsight" || key === "alarm";
}

function aggregates(field: Field, i: number): string {
  if (isJudgement(field)) {
    const count = (condition: string) => `count(*) FILTER (WHERE ${condition})::int`;
    const judged = count(`v${i} NOT LIKE 'not judged%'`);
    return `, ${judged} AS n${i}, ${count(`v${i} LIKE 'collapsed%' OR v${i} = 'unstable'`)} AS a${i}, ${count(`v${i} LIKE 'unclear%'`)} AS b${i}`;
  }
  // Scales values and excludes very large ones from squares: an overflow would fail the whole statement.
  const [first, second] = isMeasured(field)
    ? [
        `sum(v${i} / 1048576) / count(v${i}) * 1048576`,
        `CASE WHEN max(abs(v${i})) < 1e140 THEN var_samp(v${i}) FILTER (WHERE abs(v${i}) < 1e140) END`,
      ]
    : [`count(DISTINCT v${i})::int`, `min(v${i})`];
  return `, count(v${i})::int AS n${i}, ${first} AS a${i}, ${second} AS b${i}`;
}

function toColumn(field: Field, i: number, row: Readonly<Record<string, string | number | null>>): RawColumn {
  const n = Number(row[`n${i}`]);
  const [first = null, second = null] = [row[`a${i}`], row[`b${i}`]];
  if (isJudgement(field)) return { n, numJudged: n, numCollapsed: Number(first), numUnclear: Number(second) };
  return isMeasured(field)
    ? { n, mean: first === null ? null : Number(first), variance: second === null ? null : Number(second) }
    : { n, numDifferent: Number(first), one: second };
}
