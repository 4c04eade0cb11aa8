import type { Condition } from "#server/domain/runs/table/resolveFilter.ts";
import { countedSql } from "../../storage/sql.ts";
import type { Query } from "./query.ts";

/** SQL condition of a filter. Archived runs are hidden unless it names the archive mark, and runs taken back always. */
export function whereSql(query: Query, conditions: readonly Condition[]): string {
  const namesArchived = conditions.some((one) => "field" in one && one.field.key === "archived");
  return [
    countedSql("r"),
    ...(namesArchived ? [] : ["r.archived_at IS NULL"]),
    // In SQL, NULL is not true, so a missing value must match only a negated condition.
    ...conditions.map((one) => `coalesce(${conditionSql(query, one)}, false)${one.isNegated ? " = false" : ""}`),
  ].join("\n  AND ");
}

function conditionSql(query: Query, condition: Condition): string {
  switch (condition.kind) {
    case "text": {
      const pattern = query.param(`%${escapeLike(condition.text)}%`);
      const places = ["r.id", "s.name", "s.id", "c.method", "c.label", "r.note", "array_to_string(r.tags, ' ')"];
      return `(${places.map((place) => `${place} ILIKE ${pattern}`).join(" OR ")})`;
    }
    case "has": {
      const value = query.expression(condition.field);
      return condition.field.type === "list" ? `cardinality(${value}) > 0` : `${value} IS NOT NULL`;
    }
    case "compare":
      return `${comparable(query, condition)} ${condition.operator} ${query.param(condition.number)}::float8`;
    case "between": {
      const value = comparable(query, condition);
      return `${value} BETWEEN ${query.param(condition.low)}::float8 AND ${query.param(condition.high)}::float8`;
    }
    case "match":
      return matchSql(query, condition);
  }
}

/** Field as float8: dates as Unix milliseconds, logged texts as numbers if they are numeric. */
function comparable(query: Query, { field }: Extract<Condition, { kind: "compare" | "between" }>): string {
  const value = query.expression(field);
  if (field.type === "date") return `(extract(epoch FROM ${value}) * 1000)::float8`;
  if (field.type !== "text") return value;
  return `(CASE WHEN ${value} ~ '^[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d{1,3})?$' THEN ${value}::numeric::float8 END)`;
}

function matchSql(query: Query, { field, texts, isWhole }: Extract<Condition, { kind: "match" }>): string {
  const value = query.expression(field);
  const wanted = texts.map((text) => query.param(isWhole ? escapeLike(text) : `%${escapeLike(text)}%`));
  const isLike = (what: string) => `(${wanted.map((pattern) => `${what} ILIKE ${pattern}`).join(" OR ")})`;
  return field.type === "list"
    ? `EXISTS (SELECT FROM unnest(${value}) AS item WHERE ${isLike("item")})`
    : isLike(value);
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}
