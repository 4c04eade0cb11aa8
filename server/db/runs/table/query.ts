import { environmentSql } from "../../plan/shownCells.ts";
import { iterationOf, metricOf, trackedOf, type Field } from "#server/domain/runs/table/field.ts";
import { wordOfKind } from "#packages/detector";
import { awaitedSql } from "../../analysis/detections.ts";
import { overSql } from "../../storage/overSql.ts";
import { costSql } from "./costSql.ts";
import { valueAtSql } from "./valueAtSql.ts";

/** A statement over runs under construction: values become parameters, required tables are joined. */
export type Query = {
  /** Adds a parameter: `$3`. */
  param: (value: unknown) => string;
  /** SQL expression of a field; text, float8, timestamptz or text[] by its type. */
  expression: (field: Field) => string;
  /** FROM clause with all required joins so far; `runs` replaces the source of r. */
  from: (runs?: string) => string;
  values: () => readonly unknown[];
};

export function makeQuery(): Query {
  const values: unknown[] = [];
  const joins = new Map<string, string>();
  const aliasOf = new Map<string, string>();
  const param = (value: unknown) => `$${values.push(value)}`;
  const join = (name: string) => void joins.set(name, otherTables[name] ?? "");
  const metricAlias = (metric: string): string => {
    const alias = aliasOf.get(metric) ?? `m${aliasOf.size}`;
    if (!aliasOf.has(metric)) {
      aliasOf.set(metric, alias);
      const id = `(SELECT id FROM metric_name WHERE key = ${param(metric)})`;
      joins.set(alias, `LEFT JOIN metric_summary ${alias} ON ${alias}.run_id = r.id AND ${alias}.metric_id = ${id}`);
    }
    return alias;
  };
  const expression = (field: Field): string => {
    const own = runExpressions[field.key];
    if (own !== undefined && field.group === "Run") {
      for (const name of Object.keys(otherTables)) if (own.includes(`${name}.`)) join(name);
      return own;
    }
    const at = iterationOf(field.key);
    if (at && field.group === "Metric") return valueAtSql(at, param);
    const metric = metricOf(field.key);
    if (metric && field.group === "Metric") return `${metricAlias(metric.metric)}.${metric.rule}`;
    const tracked = trackedOf(field.key);
    if (tracked !== undefined && field.group === "Tracked parameter") {
      return `(SELECT value FROM tracked_value WHERE run_id = r.id AND kind = 'param' AND key = ${param(tracked)})`;
    }
    const path = `${param(field.key.split("."))}::text[]`;
    // A user's statement on an imported run counts as its own value: the imported spec has no such field.
    const leaf = `coalesce(c.spec #> ${path}, c.spec->'stated' #> ${path}, c.spec->'stated'->'settings' #> ${path})`;
    if (field.type !== "number") return `(${leaf} #>> '{}')`;
    return `(CASE WHEN jsonb_typeof(${leaf}) = 'number' THEN (${leaf} #>> '{}')::float8 END)`;
  };
  const from = (runs = "run r") =>
    [`${runs} JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = r.sweep_id`, ...joins.values()].join("\n");
  return { param, expression, from, values: () => values };
}

/** True where all runs of a cell share the field's value, so that it is looked up once per cell. */
export function isOfCell({ key, group }: Field): boolean {
  return group === "Hyperparameter" || (group === "Run" && ofCells.has(key));
}

const ofCells = new Set(["method", "configuration", "environment", "stated"]);

/** Tables joined when an expression names them. */
const otherTables: Readonly<Record<string, string>> = {
  d: "LEFT JOIN detection d ON d.run_id = r.id AND d.num_steps > 0",
  a: `LEFT JOIN LATERAL (
    SELECT node, number FROM attempt WHERE run_id = r.id ORDER BY number DESC LIMIT 1
  ) AS a ON true`,
};

/** Alarm and hindsight in the words of `facts.ts`. */
const alarm = `coalesce(d.alarm, CASE WHEN ${overSql("r")} THEN 'not judged' ELSE 'not judged yet' END)`;
const kinds = Object.entries(wordOfKind).map(([kind, word]) => `WHEN '${kind}' THEN '${word}'`);
const hindsight = `(CASE d.hindsight->'label'->>'kind' ${kinds.join(" ")}
  ELSE CASE WHEN ${awaitedSql} THEN 'not judged yet' ELSE 'not judged' END END)`;

/** Old combined field of filters: the hindsight label if there is one, else the detector's status. */
const stability = `(CASE d.hindsight->'label'->>'kind' WHEN 'collapseTerminal' THEN 'collapsed'
  WHEN 'collapseRecovered' THEN 'collapsed' WHEN 'nonFinite' THEN 'collapsed'
  ELSE coalesce(d.hindsight->'label'->>'kind', d.status) END)`;

const runExpressions: Readonly<Record<string, string>> = {
  run: "r.id",
  sweep: "s.name",
  method: "c.method",
  configuration: "nullif(c.label, '')",
  environment: environmentSql("c.spec"),
  seed: "r.seed::float8",
  state: "r.status",
  reason: "r.reason",
  alarm,
  alarmAt: "d.alarm_at::float8",
  hindsight,
  stability,
  collapsedAt: "(d.hindsight->'label'->>'collapseStep')::float8",
  iteration: "r.latest_iteration::float8",
  node: "a.node",
  attempts: "a.number::float8",
  created: "r.created_at",
  started: "r.started_at",
  ended: "r.ended_at",
  duration: "extract(epoch FROM coalesce(r.ended_at, now()) - r.started_at)::float8",
  cost: costSql,
  origin: "s.origin",
  stated: `(SELECT string_agg(key, ', ' ORDER BY key) FROM jsonb_object_keys(c.spec->'stated') AS key)`,
  tags: "r.tags",
  note: "nullif(r.note, '')",
  favourite: "(CASE WHEN r.is_favourite THEN 'yes' END)",
  archived: "r.archived_at",
};
