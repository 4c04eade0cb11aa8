import { AppError, formatCount, groupBy } from "#packages/base";
import type { LoggedStep } from "#packages/trainers";
import { find, stepColumns, timestepColumns } from "./csv/columns.ts";
import { isMissing } from "./csv/numbers.ts";
import { monitorColumns, readTable, type Row, type Table } from "./csv/table.ts";
import type { ForeignFile } from "./foreignRun.ts";
import { findMetric } from "./nameFile.ts";
import { findSettings, toRuns } from "./splitRuns.ts";

/**
 * Reads a CSV file of Weights & Biases, MLflow or a trainer. Its columns are a chart's runs ("RUN - METRIC"), or
 * metrics, with or without a column for the run. Else it has one line per measurement (run, metric, step, value).
 */
export function readTrackerCsv(fileName: string, text: string): ForeignFile {
  const table = withSteps(fileName, readTable(text));
  const { names } = table;
  if (find(names, stepColumns) === -1) throw refuse(fileName, names);
  if (find(names, valueColumns) !== -1 && find(names, metricColumns) !== -1) return readLong(table);
  if (find(names, runColumns) !== -1) return readWideRuns(table);
  if (names.some((name) => name.includes(separator))) return readChart(table);
  const reader = makeStepReader(table);
  const settings = findSettings(names);
  const columns = columnsOf(names, new Set(settings));
  const keyOf = ({ fields }: Row) => settings.map((i) => fields[i]).join("\n");
  const groups = [...groupBy(table.rows, keyOf).values()].map((rows) => ({
    config: Object.fromEntries(settings.map((i) => [names[i] ?? "", rows[0]?.fields[i] ?? ""])),
    lines: reader.read(rows, columns),
  }));
  return { format: formatOf(names), runs: toRuns(fileName, groups), ...toldOf(table, reader) };
}

/**
 * Adds steps to two kinds of tables that have none in a column of a known name: monitor files of Stable-Baselines3
 * (return, length and time of each episode), and files with the steps and values of one metric without a header.
 */
function withSteps(fileName: string, table: Table): Table {
  const { names, rows, parse } = table;
  if (names.join() === monitorColumns) {
    let step = 0;
    const counted = rows.map(({ fields, line }) => {
      step += parse(fields[1]) ?? 0;
      return { line, fields: [...fields, String(step)] };
    });
    return { ...table, names: ["episode_return", "episode_length", "time/episode", "timesteps"], rows: counted };
  }
  const { metric } = findMetric(fileName) ?? {};
  if (metric === undefined || names.length !== 2 || names.some((name) => parse(name) === undefined)) return table;
  return { ...table, names: ["step", "value"], rows: [{ line: 1, fields: names }, ...rows] };
}

function formatOf(names: readonly string[]): ForeignFile["format"] {
  if (names.includes("_step")) return "wandbCsv";
  return find(names, mlflowColumns) === -1 ? "csv" : "mlflowCsv";
}

const separator = " - ";
const runColumns = ["run", "group", "run_id", "run id", "run name", "run_name"];
const metricColumns = ["metric", "key"];
const valueColumns = ["value"];
const timeColumns = ["timestamp", "_timestamp", "wall time", "wall_time"];
const mlflowColumns = ["run", "run_id", "run id"];
const bookkeeping = new Set([
  "",
  "_step",
  "_runtime",
  "_timestamp",
  "timestamp",
  "wall time",
  "wall_time",
  "step",
  "global_step",
  "epoch_time",
  "unnamed: 0",
]);

/**
 * Reads a table with one measurement per line. MLflow's chart export has Run, Run ID, metric, step, timestamp, value;
 * older exports have run_id, key, value, timestamp, step.
 */
function readLong(table: Table): ForeignFile {
  const { names } = table;
  const at = {
    run: find(names, runColumns),
    id: find(names, ["run id", "run_id"]),
    metric: find(names, metricColumns),
    value: find(names, valueColumns),
    step: find(names, stepColumns),
    time: find(names, timeColumns),
  };
  const runs = new Map<string, { name: string; id: string; lines: LoggedStep[] }>();
  for (const { fields, line } of table.rows) {
    const name = fields[at.run] ?? "";
    const id = at.id === -1 ? name : (fields[at.id] ?? "");
    const step = toStep(table.parse(fields[at.step]));
    const value = table.parse(fields[at.value]);
    const metric = fields[at.metric];
    if (step === undefined || value === undefined || metric === undefined) {
      table.unread.add(fields.join(","), line);
      continue;
    }
    const run = runs.get(id) ?? { name, id, lines: [] };
    runs.set(id, run);
    run.lines.push({ step, values: { [metric]: value }, ...timeOf(fields[at.time]) });
  }
  const byId = at.id !== -1;
  const named = [...runs.values()].map(({ name, id, lines }) => ({ name, lines, ...(byId && { id }) }));
  return { format: "mlflowCsv", runs: named, notes: table.notes, unread: table.unread.read() };
}

function readWideRuns(table: Table): ForeignFile {
  const { names, rows } = table;
  const runAt = find(names, runColumns);
  const reader = makeStepReader(table);
  const columns = columnsOf(names, new Set([runAt]));
  const runs = [...groupBy(rows, ({ fields }) => fields[runAt] ?? "")].map(([name, ofRun]) => {
    return { name, lines: reader.read(ofRun, columns) };
  });
  return { format: "mlflowCsv", runs, ...toldOf(table, reader) };
}

/** Reads W&B's chart export: `Step`, then `RUN - METRIC` per run, with `…__MIN` and `…__MAX`, which are not metrics. */
function readChart(table: Table): ForeignFile {
  const { names, rows, unread } = table;
  const columnsOfRun = new Map<string, [number, string][]>();
  for (const [index, name] of names.entries()) {
    // Run names may contain the separator, but metric keys do not, so the last separator counts.
    const at = name.lastIndexOf(separator);
    if (at === -1 || /__(MIN|MAX)$/.test(name)) continue;
    const run = name.slice(0, at);
    columnsOfRun.set(run, [...(columnsOfRun.get(run) ?? []), [index, name.slice(at + separator.length)]]);
  }
  const stepAt = find(names, stepColumns);
  for (const { fields, line } of rows)
    if (toStep(table.parse(fields[stepAt])) === undefined) unread.add(fields.join(","), line);
  // Table rows for the steps of other runs are empty for this run; rows without a step were counted above.
  const reader = makeStepReader({
    ...table,
    rows: rows.filter(({ fields }) => toStep(table.parse(fields[stepAt])) !== undefined),
  });
  const runs = [...columnsOfRun].map(([name, columns]) => ({ name, lines: reader.read(reader.rows, columns) }));
  return { format: "wandbCsv", runs, ...toldOf(table, reader) };
}

type Column = readonly [index: number, name: string];

function columnsOf(names: readonly string[], without: ReadonlySet<number> = new Set()): Column[] {
  const stepAt = find(names, stepColumns);
  return names.flatMap((name, index): Column[] =>
    bookkeeping.has(name.toLowerCase()) || index === stepAt || without.has(index) || names.indexOf(name) < index
      ? []
      : [[index, name]],
  );
}

type StepReader = ReturnType<typeof makeStepReader>;

function makeStepReader({ names, rows, unread, parse }: Table) {
  const stepAt = find(names, stepColumns);
  const timeAt = find(names, timeColumns);
  // Evaluation files of Stable-Baselines3 contain only timesteps.
  const timestepsAt = find(names, timestepColumns);
  const watch = makeColumnWatch();
  let numPlaced = 0;
  const valuesOf = ({ fields, line }: Row, columns: readonly Column[]): Record<string, number> => {
    const values: Record<string, number> = {};
    for (const [index, name] of columns) {
      const text = fields[index] ?? "";
      // An empty field means that no value was logged at this step.
      if (text === "") continue;
      const value = parse(text);
      watch.see(name, { text, value, line });
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
  return {
    rows,
    read(some: readonly Row[], columns: readonly Column[]): LoggedStep[] {
      let last = 0;
      return some.flatMap((row) => {
        const { fields, line } = row;
        const own = toStep(parse(fields[stepAt]));
        const isPlaced = own === undefined && fields[stepAt] === "" && toStep(parse(fields[timestepsAt])) !== undefined;
        const step = isPlaced ? last : own;
        const values = valuesOf(row, columns);
        if (step !== undefined && Object.keys(values).length > 0) {
          if (isPlaced) numPlaced += 1;
          last = step;
          return [{ step, values, ...timeOf(fields[timeAt]) }];
        }
        // A step without values is valid, but a row of words is not a step.
        if (step === undefined || columns.some(([index]) => (fields[index] ?? "") !== "")) {
          unread.add(fields.join(","), line);
        }
        return [];
      });
    },
    notes(): string[] {
      const placed = `${formatCount(numPlaced, "row has", "rows have")} no ${names[stepAt]}: the value of the previous row is used`;
      return [...watch.notes(), ...(numPlaced > 0 ? [placed] : [])];
    },
  };
}

type Seen = { text: string; value: number | undefined; line: number };

/** Counts the fields of each column that are no numbers, and those that are per cent. */
function makeColumnWatch() {
  const columns = new Map<string, { numbers: number; texts: number; percents: number; first: Seen | undefined }>();
  return {
    see(name: string, seen: Seen): void {
      let column = columns.get(name);
      if (!column) columns.set(name, (column = { numbers: 0, texts: 0, percents: 0, first: undefined }));
      if (seen.value !== undefined) {
        column.numbers += 1;
        if (seen.text.trimEnd().endsWith("%")) column.percents += 1;
      } else if (!isMissing(seen.text)) {
        column.first ??= seen;
        column.texts += 1;
      }
    },
    notes(): string[] {
      const percents = [...columns].filter((column) => column[1].percents > 0).map(([name]) => name);
      const odd = [...columns].flatMap(([name, { numbers, texts, first }]) => {
        // A column of words or dates is no metric, but other texts may be numbers in an unknown form.
        if (!first || (numbers === 0 && !/^[^A-Za-z]{0,3}\d(?!\d*[-/.:]\d+[-/.:])/.test(first.text))) return [];
        const count =
          texts === 1 ? "1 value is not a number" : `${texts.toLocaleString("en-US")} values are not numbers`;
        return [`column ${name}: ${count}, left out: “${first.text.slice(0, 40)}” in line ${first.line}`];
      });
      return [...(percents.length > 0 ? [`${percents.join(", ")}: values with % are divided by 100`] : []), ...odd];
    },
  };
}

function toldOf(table: Table, reader: StepReader): Pick<ForeignFile, "notes" | "unread"> {
  return { notes: [...table.notes, ...reader.notes()], unread: table.unread.read() };
}

function toStep(step: number | undefined): number | undefined {
  return step !== undefined && Number.isInteger(step) && step >= 0 ? step : undefined;
}

/** Parses a time since 1970 in seconds (W&B) or milliseconds (MLflow); its magnitude determines the unit. */
function timeOf(text: string | undefined): { atMs?: number } {
  const time = Number(text === "" ? undefined : text);
  if (!Number.isFinite(time) || time <= 0) return {};
  return { atMs: time < 1e11 ? time * 1000 : time };
}

function refuse(fileName: string, names: readonly string[]): AppError {
  const seen = names.slice(0, 6).map((name) => JSON.stringify(name));
  const more = names.length > 6 ? `, … (${names.length} columns)` : "";
  const isSummary = names.some((name) => /^(state|status|metrics?\.)/i.test(name));
  const hint = isSummary ? "; a table of runs has only last values: export a chart or a run's history instead" : "";
  return new AppError(
    "bad_input",
    `${fileName}: the CSV file has no step column (its columns: ${seen.join(", ")}${more})${hint}`,
  );
}
