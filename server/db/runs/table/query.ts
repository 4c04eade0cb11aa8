import { countsEpochs } from "#trainer/spec/metric.ts";
import { environmentSql } from "../../plan/cells.ts";
import { type Field, iterationOf, metricOf, trackedOf } from "#server/domain/runs/table/field.ts";
import { byReward, judgedBy, wordOfKind } from "#packages/detector";
import { awaitedSql } from "../../analysis/detections.ts";
import { choiceSql } from "../choice.ts";
import { overSql } from "../../storage/sql.ts";

/** SQL for the number of slots that an attempt reserves, or else (recorded studies) the sweep's slots per run. */
export const slotsOfAttempt = "coalesce(nullif(cardinality(a.devices), 0), s.slots_per_run)";

/**
 * SQL for the cost of a run's attempts: slots × hours × price of the compute node. Hours are counted from an
 * attempt's first line (without queueing) to its end or until now. NULL if a node has no price, because a partial sum
 * would mislead. NULL also for recorded studies, whose nodes may have the studio's names by chance.
 */
const costSql = `(SELECT CASE WHEN count(*) = count(price) THEN sum(slots * hours * price) END::float8 FROM (
  SELECT greatest(0, extract(epoch FROM coalesce(a.ended_at, CASE WHEN a.live THEN now() END, r.ended_at)
      - to_timestamp((a.started->>'atMs')::float8 / 1000)) / 3600)::float8 AS hours,
    ${slotsOfAttempt} AS slots,
    (n.config->>'pricePerSlotHour')::float8 AS price
  FROM attempt a LEFT JOIN node_sighting n ON n.name = a.node AND s.origin = 'plan' AND a.job_state <> 'elsewhere'
  WHERE a.run_id = r.id AND a.started IS NOT NULL
) AS paid)`;

/** SQL statement under construction: values become parameters, and needed tables are joined. */
export type Query = {
  /** Adds a parameter and returns its placeholder, such as `$3`. */
  param: (value: unknown) => string;
  /** Returns the SQL expression of a field: text, float8, timestamptz or text[], depending on the field's type. */
  expression: (field: Field) => string;
  /** Returns the FROM clause with all joins needed so far. `runs`: table or query that replaces `run` as `r`. */
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
    // An entered setting counts as the run's own: the imported specification has no such field.
    const leaf = `coalesce(c.spec #> ${path}, c.spec->'stated' #> ${path}, c.spec->'stated'->'settings' #> ${path})`;
    if (field.type !== "number") return `(${leaf} #>> '{}')`;
    return `(CASE WHEN jsonb_typeof(${leaf}) = 'number' THEN (${leaf} #>> '{}')::float8 END)`;
  };
  const from = (runs = "run r") =>
    [`${runs} JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = r.sweep_id`, ...joins.values()].join("\n");
  return { param, expression, from, values: () => values };
}

/** True if all runs of a cell have the same value of the field, which is then looked up once per cell. */
export function isOfCell({ key, group }: Field): boolean {
  return group === "Hyperparameter" || (group === "Run" && ofCells.has(key));
}

const ofCells = new Set(["method", "configuration", "environment", "stated"]);

/** JOIN clauses, by alias; each is added if an expression uses its alias. */
const otherTables: Readonly<Record<string, string>> = {
  d: "LEFT JOIN detection d ON d.run_id = r.id AND d.num_steps > 0",
  a: `LEFT JOIN LATERAL (
    SELECT node, number FROM attempt WHERE run_id = r.id ORDER BY number DESC LIMIT 1
  ) AS a ON true`,
};

const alarm = `coalesce(d.alarm, CASE WHEN ${overSql("r")} THEN 'not judged' ELSE 'not judged yet' END)`;
const kinds = Object.entries(wordOfKind).map(([kind, word]) => `WHEN '${kind}' THEN '${word}'`);
const listSql = (keys: readonly string[]): string => `ARRAY[${keys.map((key) => `'${key}'`).join(", ")}]`;
const isByReward = `d.hindsight->'label'->>'kind' <> 'notJudged'
  AND d.keys && ${listSql(judgedBy.reward)} AND NOT d.keys && ${listSql(judgedBy.success)}`;
const hindsight = `(CASE d.hindsight->'label'->>'kind' ${kinds.join(" ")}
  ELSE CASE WHEN ${awaitedSql} THEN 'not judged yet' ELSE 'not judged' END END
  || CASE WHEN ${isByReward} THEN ', ${byReward}' ELSE '' END)`;

/** SQL for a field of old saved filters: the hindsight label, or the detector's state without one. */
const stability = `(CASE d.hindsight->'label'->>'kind' WHEN 'collapseTerminal' THEN 'collapsed'
  WHEN 'collapseRecovered' THEN 'collapsed' WHEN 'nonFinite' THEN 'collapsed'
  ELSE coalesce(d.hindsight->'label'->>'kind', d.status) END)`;

const runExpressions: Readonly<Record<string, string>> = {
  run: "r.id",
  sweep: "s.name",
  sweepId: "r.sweep_id",
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
  from: "c.spec->'initialisation'->>'run'",
  origin: "s.origin",
  choice: choiceSql,
  stated: `(SELECT string_agg(key, ', ' ORDER BY key) FROM jsonb_object_keys(c.spec->'stated') AS key)`,
  tags: "r.tags",
  note: "nullif(r.note, '')",
  favourite: "(CASE WHEN r.is_favourite THEN 'yes' END)",
  archived: "r.archived_at",
};

/**
 * Returns SQL for run `r`'s metric at an iteration: the latest value up to it, of the curve joined over attempts. NULL
 * if the run has not reached the iteration or the value is not finite. Of iterations logged again, the last value
 * counts. `param` adds a parameter.
 */
export function valueAtSql(
  { metric, iteration }: { metric: string; iteration: number },
  param: (value: unknown) => string,
): string {
  const at = `${param(iteration)}::int`;
  const id = `(SELECT id FROM metric_name WHERE key = ${param(metric)})`;
  const fromAll = `(SELECT point.bytes FROM (
      SELECT a.id, least(${at}, min(${startSql(metric)}) OVER (
        ORDER BY a.number DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) - 1) AS upto
      FROM attempt a, LATERAL (SELECT least(
        (SELECT min(first_iteration) FROM metric_block WHERE attempt_id = a.id AND metric_id = ${id}),
        (SELECT min(iteration) FROM metric_row WHERE attempt_id = a.id AND metric_ids @> ARRAY[${id}])) AS first) AS logged
      WHERE a.run_id = r.id AND a.num_metric_lines > 0 AND r.latest_iteration >= ${at}
    ) AS a, LATERAL (${newestOfBlocks(id)} UNION ALL ${newestOfRows(id)}) AS point
    ORDER BY point.iteration DESC, point.seq DESC LIMIT 1)`;
  return float8Sql(`coalesce(${fromPlainBlock(at, id)}, ${fromAll})`);
}

/**
 * Fast SQL for runs whose latest attempt has this iteration and all its points in blocks: one block suffices. NULL for
 * other runs, whose look-up costs five times as much.
 */
function fromPlainBlock(at: string, id: string): string {
  return `(SELECT substring(b.values FROM 8 * (${at} - b.first_iteration) + 1 FOR 8)
    FROM (SELECT id FROM attempt WHERE run_id = r.id AND num_metric_lines > 0 ORDER BY number DESC LIMIT 1) AS a, LATERAL (
      SELECT first_iteration, last_iteration, iterations, values FROM metric_block
      WHERE attempt_id = a.id AND metric_id = ${id} AND first_iteration <= ${at} ORDER BY first_seq DESC LIMIT 1
    ) AS b
    WHERE b.iterations IS NULL AND b.last_iteration >= ${at} AND r.latest_iteration >= ${at}
      AND NOT EXISTS (SELECT FROM metric_row WHERE attempt_id = a.id))`;
}

/** Returns SQL for the iteration from which an attempt replaces older ones, as `startOf` in stitch.ts. */
function startSql(metric: string): string {
  const resumed = "(a.started->>'firstIteration')::int";
  return `CASE WHEN ${resumed} <= 1 THEN 0 ${countsEpochs(metric) ? "" : `WHEN ${resumed} > 1 THEN least(logged.first, ${resumed})`}
    ELSE logged.first END`;
}

/** Returns SQL for the newest point up to an iteration. If the log is in order, only one block is read. */
function newestOfBlocks(id: string): string {
  const ofMetric = `attempt_id = a.id AND metric_id = ${id} AND first_iteration <= a.upto`;
  return `SELECT coalesce(listed.iteration, b.first_iteration + plain.i) AS iteration, b.first_seq AS seq,
      substring(b.values FROM 8 * coalesce(listed.i, plain.i) + 1 FOR 8) AS bytes
    FROM metric_block b, LATERAL (SELECT least(a.upto - b.first_iteration, b.num_points - 1) AS i) AS plain
    LEFT JOIN LATERAL (
      SELECT i, ('x' || encode(four, 'hex'))::bit(32)::int AS iteration
      FROM generate_series(0, CASE WHEN b.iterations IS NULL THEN -1 ELSE b.num_points - 1 END) AS i, LATERAL (SELECT substring(b.iterations FROM 4 * i + 1 FOR 4) AS four) AS stored
      WHERE four <= int4send(a.upto) ORDER BY four DESC, i DESC LIMIT 1
    ) AS listed ON true
    WHERE ${ofMetric} AND last_iteration >= (SELECT max(first_iteration) FROM metric_block WHERE ${ofMetric})`;
}

function newestOfRows(id: string): string {
  return `(SELECT iteration, seq, float8send(values[array_position(metric_ids, ${id})]) AS bytes FROM metric_row
    WHERE attempt_id = a.id AND iteration <= a.upto AND metric_ids @> ARRAY[${id}] ORDER BY iteration DESC, seq DESC LIMIT 1)`;
}

/**
 * Returns SQL that decodes eight bytes of `float8send`, for which PostgreSQL has no decoder; NULL unless finite.
 * OFFSET 0 makes PostgreSQL evaluate the bytes once; otherwise the planner would repeat the look-up at each use.
 */
function float8Sql(bytes: string): string {
  const [exponent, mantissa] = ["((bits >> 52) & 2047)", "(bits & 4503599627370495)"];
  return `(SELECT CASE ${exponent} WHEN 2047 THEN NULL WHEN 0 THEN ${mantissa} * power(2::float8, -1074)
      ELSE (1 + ${mantissa} * power(2::float8, -52)) * power(2::float8, ${exponent} - 1023) END * CASE WHEN bits < 0 THEN -1 ELSE 1 END
    FROM (SELECT ('x' || encode(${bytes}, 'hex'))::bit(64)::bigint AS bits OFFSET 0) AS word)`;
}
