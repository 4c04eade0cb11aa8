import { AppError } from "../errors.ts";
import { parseNumber, type LoggedStep } from "../external/point.ts";
import { parseCsv } from "../statistics/parseCsv.ts";
import type { ForeignFile } from "./foreignRun.ts";
import { toForeignRun } from "./toForeignRun.ts";

/**
 * A CSV file that Weights & Biases or MLflow exported: a chart's runs side by side ("RUN - METRIC"), one run's history
 * (a column per metric), or one line per measurement (Run, metric, step, value).
 */
export function readTrackerCsv(text: string, fileName: string): ForeignFile {
  const [header, ...records] = parseCsv(text);
  const names = header?.fields.map((name) => name.trim()) ?? [];
  const rows = records.map(({ fields }) => fields);
  if (find(names, valueColumns) !== -1 && find(names, metricColumns) !== -1) return readLong(names, rows);
  const stepAt = find(names, stepColumns);
  if (stepAt === -1) throw refuse(names);
  if (find(names, runColumns) !== -1) return readWideRuns(names, rows);
  if (names.some((name) => name.includes(separator))) return readChart(names, rows);
  const run = toForeignRun("", readSteps(names, rows));
  return { format: names.includes("_step") ? "wandbCsv" : "mlflowCsv", runs: [run], notes: [`read from ${fileName}`] };
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
  const runs = new Map<string, { name: string; steps: LoggedStep[] }>();
  let numOther = 0;
  for (const row of rows) {
    const name = row[at.run] ?? "";
    const id = at.id === -1 ? name : (row[at.id] ?? "");
    const step = parseStep(row[at.step]);
    const value = parseNumber(row[at.value] ?? "");
    const metric = row[at.metric];
    if (step === undefined || value === undefined || metric === undefined) {
      numOther += 1;
      continue;
    }
    const run = runs.get(id) ?? { name, steps: [] };
    runs.set(id, run);
    run.steps.push({ step, values: { [metric]: value }, ...timeOf(row[at.time]) });
  }
  return {
    format: "mlflowCsv",
    runs: [...runs.values()].map(({ name, steps }) => toForeignRun(name, steps)),
    notes: numOther === 0 ? [] : [`${numOther} lines without step and value`],
  };
}

/** A column for the run's name, one for the step, one per metric. */
function readWideRuns(names: readonly string[], rows: readonly (readonly string[])[]): ForeignFile {
  const runAt = find(names, runColumns);
  const byRun = new Map<string, (readonly string[])[]>();
  for (const row of rows) {
    const name = row[runAt] ?? "";
    byRun.set(name, [...(byRun.get(name) ?? []), row]);
  }
  const runs = [...byRun].map(([name, own]) => toForeignRun(name, readSteps(names, own, new Set([runAt]))));
  return { format: "mlflowCsv", runs, notes: [] };
}

/** W&B's chart export: `Step`, then per run `RUN - METRIC` with `…__MIN` and `…__MAX` beside it, which are no metrics. */
function readChart(names: readonly string[], rows: readonly (readonly string[])[]): ForeignFile {
  const columns = names.flatMap((name, index) => {
    // Names of runs may hold the separator, keys of metrics do not.
    const at = name.lastIndexOf(separator);
    if (at === -1 || /__(MIN|MAX)$/.test(name)) return [];
    return [{ run: name.slice(0, at), metric: name.slice(at + separator.length), index }];
  });
  const stepAt = find(names, stepColumns);
  const runs = [...new Set(columns.map(({ run }) => run))].map((run) => {
    const own = columns.filter((column) => column.run === run);
    const steps = rows.flatMap((row): LoggedStep[] => {
      const step = parseStep(row[stepAt]);
      const values = numbersAt(
        row,
        own.map(({ index, metric }) => [index, metric]),
      );
      return step === undefined || Object.keys(values).length === 0 ? [] : [{ step, values }];
    });
    return toForeignRun(run, steps);
  });
  return { format: "wandbCsv", runs, notes: [] };
}

function readSteps(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  without: ReadonlySet<number> = new Set(),
): LoggedStep[] {
  const stepAt = find(names, stepColumns);
  const timeAt = find(names, timeColumns);
  const columns = names.flatMap((name, index): [number, string][] =>
    bookkeeping.has(name.toLowerCase()) || index === stepAt || without.has(index) ? [] : [[index, name]],
  );
  return rows.flatMap((row) => {
    const step = parseStep(row[stepAt]);
    const values = numbersAt(row, columns);
    return step === undefined || Object.keys(values).length === 0 ? [] : [{ step, values, ...timeOf(row[timeAt]) }];
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
