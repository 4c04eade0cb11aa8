import { AppError } from "#server/domain/errors.ts";
import { parseNumber, type LoggedStep } from "#server/domain/external/point.ts";
import { parseCsv } from "#server/domain/statistics/parseCsv.ts";
import { makeUnread } from "#server/domain/external/unread.ts";
import type { ForeignFile } from "./foreignRun.ts";
import { groupBy } from "#server/domain/groupBy.ts";

/**
 * A CSV file that Weights & Biases or MLflow exported: a chart's runs side by side ("RUN - METRIC"), one run's history
 * (a column per metric), or one line per measurement (Run, metric, step, value).
 */
export function readTrackerCsv(text: string): ForeignFile {
  const [header, ...records] = parseCsv(text);
  const names = header?.fields.map((name) => name.trim()) ?? [];
  const rows = records.map(({ fields }) => fields);
  if (find(names, valueColumns) !== -1 && find(names, metricColumns) !== -1) return readLong(names, rows);
  const stepAt = find(names, stepColumns);
  if (stepAt === -1) throw refuse(names);
  if (find(names, runColumns) !== -1) return readWideRuns(names, rows);
  if (names.some((name) => name.includes(separator))) return readChart(names, rows);
  const unread = makeUnread();
  const lines = readSteps(names, rows, { columns: columnsOf(names), unread });
  const format = names.includes("_step") ? "wandbCsv" : "mlflowCsv";
  return { format, runs: [{ name: "", lines }], notes: [], unread: unread.read() };
}

/** Whether the first line names a column of steps, as every table that is read has. */
export function hasTrackerColumns(text: string): boolean {
  const [first = ""] = text.split(/\r?\n/, 1);
  // Names of columns may hold commas, of steps they do not.
  const names = first.split(",").map((name) => name.replaceAll(/^[\s"\uFEFF]+|[\s"]+$/g, ""));
  return names.length > 1 && find(names, stepColumns) !== -1;
}

const separator = " - ";
const stepColumns = [
  "step",
  "_step",
  "global_step",
  "trainer/global_step",
  "train/global_step",
  "training/global_step",
];
const runColumns = ["run", "group", "run_id", "run id", "run name", "run_name"];
const metricColumns = ["metric", "key"];
const valueColumns = ["value"];
const timeColumns = ["timestamp", "_timestamp"];
/** Columns that say when and where, not what was measured. */
const bookkeeping = new Set(["", "_step", "_runtime", "_timestamp", "timestamp", "step", "global_step", "epoch_time"]);

/** MLflow's chart export: Run, Run ID, metric, step, timestamp, value; older ones run_id, key, value, timestamp, step. */
function readLong(names: readonly string[], rows: readonly (readonly string[])[]): ForeignFile {
  const at = {
    run: find(names, runColumns),
    id: find(names, ["run id", "run_id"]),
    metric: find(names, metricColumns),
    value: find(names, valueColumns),
    step: find(names, stepColumns),
    time: find(names, timeColumns),
  };
  if (at.step === -1) throw refuse(names);
  const runs = new Map<string, { name: string; id: string; lines: LoggedStep[] }>();
  const unread = makeUnread();
  for (const row of rows) {
    const name = row[at.run] ?? "";
    const id = at.id === -1 ? name : (row[at.id] ?? "");
    const step = parseStep(row[at.step]);
    const value = parseNumber(row[at.value] ?? "");
    const metric = row[at.metric];
    if (step === undefined || value === undefined || metric === undefined) {
      unread.add(row.join(","));
      continue;
    }
    const run = runs.get(id) ?? { name, id, lines: [] };
    runs.set(id, run);
    run.lines.push({ step, values: { [metric]: value }, ...timeOf(row[at.time]) });
  }
  const byId = at.id !== -1;
  const named = [...runs.values()].map(({ name, id, lines }) => ({ name, lines, ...(byId && { id }) }));
  return { format: "mlflowCsv", runs: named, notes: [], unread: unread.read() };
}

/** A column for the run's name, one for the step, one per metric. */
function readWideRuns(names: readonly string[], rows: readonly (readonly string[])[]): ForeignFile {
  const runAt = find(names, runColumns);
  const unread = makeUnread();
  const runs = [...groupBy(rows, (row) => row[runAt] ?? "")].map(([name, ofRun]) => {
    const columns = columnsOf(names, new Set([runAt]));
    return { name, lines: readSteps(names, ofRun, { columns, unread }) };
  });
  return { format: "mlflowCsv", runs, notes: [], unread: unread.read() };
}

/** W&B's chart export: `Step`, then per run `RUN - METRIC` with `…__MIN` and `…__MAX` beside it, which are no metrics. */
function readChart(names: readonly string[], rows: readonly (readonly string[])[]): ForeignFile {
  const columnsOfRun = new Map<string, [number, string][]>();
  for (const [index, name] of names.entries()) {
    // Names of runs may hold the separator, keys of metrics do not.
    const at = name.lastIndexOf(separator);
    if (at === -1 || /__(MIN|MAX)$/.test(name)) continue;
    const run = name.slice(0, at);
    columnsOfRun.set(run, [...(columnsOfRun.get(run) ?? []), [index, name.slice(at + separator.length)]]);
  }
  const unread = makeUnread();
  const stepAt = find(names, stepColumns);
  for (const row of rows) if (parseStep(row[stepAt]) === undefined) unread.add(row.join(","));
  const ofRun = { unread: makeUnread() };
  const runs = [...columnsOfRun].map(([name, columns]) => {
    return { name, lines: readSteps(names, rows, { ...ofRun, columns }) };
  });
  return { format: "wandbCsv", runs, notes: [], unread: unread.read() };
}

type Reading = { columns: readonly (readonly [number, string])[]; unread: ReturnType<typeof makeUnread> };

/** Columns of metrics. */
function columnsOf(names: readonly string[], without: ReadonlySet<number> = new Set()): [number, string][] {
  const stepAt = find(names, stepColumns);
  return names.flatMap((name, index): [number, string][] =>
    bookkeeping.has(name.toLowerCase()) || index === stepAt || without.has(index) ? [] : [[index, name]],
  );
}

function readSteps(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  { columns, unread }: Reading,
): LoggedStep[] {
  const stepAt = find(names, stepColumns);
  const timeAt = find(names, timeColumns);
  return rows.flatMap((row) => {
    const step = parseStep(row[stepAt]);
    const values = numbersAt(row, columns);
    const isEmpty = Object.keys(values).length === 0;
    if (step !== undefined && !isEmpty) return [{ step, values, ...timeOf(row[timeAt]) }];
    // A step at which nothing was logged is understood; one that says nothing but words is not.
    if (step === undefined || columns.some(([index]) => (row[index] ?? "") !== "")) unread.add(row.join(","));
    return [];
  });
}

/** Empty fields are steps at which nothing was logged. */
function numbersAt(row: readonly string[], columns: readonly (readonly [number, string])[]): Record<string, number> {
  const values: Record<string, number> = {};
  for (const [index, name] of columns) {
    const value = parseNumber(row[index] ?? "");
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function parseStep(text: string | undefined): number | undefined {
  const step = parseNumber(text ?? "");
  return step !== undefined && Number.isInteger(step) && step >= 0 ? step : undefined;
}

/** Seconds (W&B) or milliseconds (MLflow) since 1970: they differ by a factor that no clock bridges. */
function timeOf(text: string | undefined): { atMs?: number } {
  const time = parseNumber(text ?? "");
  if (time === undefined || !Number.isFinite(time) || time <= 0) return {};
  return { atMs: time < 1e11 ? time * 1000 : time };
}

function find(names: readonly string[], known: readonly string[]): number {
  return names.findIndex((name) => known.includes(name.toLowerCase()));
}

function refuse(names: readonly string[]): AppError {
  const seen = names.slice(0, 6).map((name) => JSON.stringify(name));
  const more = names.length > 6 ? `, … (${names.length} columns)` : "";
  const isSummary = names.some((name) => /^(state|status|metrics?\.)/i.test(name));
  const hint = isSummary ? "; a table of runs holds last values alone: export a chart or a run's history instead" : "";
  return new AppError(
    "bad_input",
    `the CSV file has no column of steps (its columns: ${seen.join(", ")}${more})${hint}`,
  );
}
