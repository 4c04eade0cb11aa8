import type { Database } from "#server/db/storage/client.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { readFields } from "#server/db/runs/table/catalogue.ts";
import { readRunsById, type RunTableRow } from "#server/db/runs/table/rows.ts";
import { badInput, groupBy } from "#packages/base";
import { indexFields } from "#server/domain/runs/table/findField.ts";
import type { Field } from "#server/domain/runs/table/field.ts";
import type { Series } from "#packages/statistics";
import { ByteWriter, parquetWriteRows, type ColumnSource } from "hyparquet-writer";
import { type CsvValue, toCsvText } from "#packages/tables";

type Asked = {
  ids: readonly string[];
  columns: readonly string[];
  /** Metrics whose curves are exported, one row per iteration. If empty, the file has one row per run. */
  metrics?: readonly string[];
  format: ExportFormat;
};

/** Maximum numbers of runs per query, without curves and with curves (thousands of rows per run). */
const runsAtOnce = 1000;
const curvesAtOnce = 20;

/** Exports id, method, configuration, seed and the chosen fields; with curves also iteration and metrics. */
export async function exportRuns(
  { pool }: Database,
  { ids, columns, metrics = [], format }: Asked,
): Promise<AsyncGenerator<Uint8Array>> {
  const index = indexFields(await readFields(pool));
  const asked = columns.map((key) => {
    const field = index.find(key);
    if (field) return field;
    throw badInput([{ path: "columns", message: `runs have no field ${key}` }]);
  });
  const first = ["run", "method", "configuration", "seed"].flatMap((key) => index.find(key) ?? []);
  const fields = [...first, ...asked.filter(({ key }) => !first.some((one) => one.key === key))];
  if (metrics.length === 0) return writeRows(listRows(pool, ids, fields), fields, format);
  const curves: Column[] = ["iteration", ...metrics].map((key) => ({ key, type: "number" }));
  // The field "iteration" (a run's last iteration) is omitted, because the curves have a column of the same name.
  const others = fields.filter(({ key }) => key !== "iteration");
  return writeRows(listPoints(pool, { ids, metrics, fields: others }), [...others, ...curves], format);
}

async function* listRows(
  pool: Database["pool"],
  ids: readonly string[],
  fields: readonly Field[],
): AsyncGenerator<Values> {
  for (let at = 0; at < ids.length; at += runsAtOnce) {
    for (const { values } of await readRunsById(pool, ids.slice(at, at + runsAtOnce), fields)) yield values;
  }
}

type Curves = { ids: readonly string[]; metrics: readonly string[]; fields: readonly Field[] };

async function* listPoints(pool: Database["pool"], { ids, metrics, fields }: Curves): AsyncGenerator<Values> {
  for (let at = 0; at < ids.length; at += curvesAtOnce) {
    const runIds = ids.slice(at, at + curvesAtOnce);
    const [rows, series] = await Promise.all([
      readRunsById(pool, runIds, fields),
      readSeries(pool, { runIds, keys: metrics }),
    ]);
    const seriesOf = groupBy(series, ({ runId }) => runId);
    for (const { id, values } of rows) {
      for (const point of joinSeries(seriesOf.get(id) ?? [], metrics)) yield [...values, ...point];
    }
  }
}

function joinSeries(series: readonly Series[], metrics: readonly string[]): (number | null)[][] {
  const rows = new Map<number, (number | null)[]>();
  for (const { key, iterations, values } of series) {
    const column = metrics.indexOf(key);
    for (const [i, iteration] of iterations.entries()) {
      const row = rows.get(iteration) ?? metrics.map(() => null);
      row[column] = values[i] ?? null;
      rows.set(iteration, row);
    }
  }
  return [...rows].sort(([a], [b]) => a - b).map(([iteration, row]) => [iteration, ...row]);
}

type ExportFormat = "csv" | "parquet";
type Values = RunTableRow["values"];
type Column = Pick<Field, "key" | "type">;

/** Number of table rows per chunk of CSV, or per row group in Parquet. */
const rowsAtOnce = 1000;

/** Encodes table rows as a file. CSV is yielded in chunks, Parquet only once its last row group is encoded. */
function writeRows(
  rows: AsyncGenerator<Values>,
  columns: readonly Column[],
  format: ExportFormat,
): AsyncGenerator<Uint8Array> {
  return format === "csv" ? writeCsv(rows, columns) : writeParquet(rows, columns);
}

async function* writeCsv(rows: AsyncGenerator<Values>, columns: readonly Column[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let lines: CsvValue[][] = [columns.map(({ key }) => key)];
  for await (const values of rows) {
    lines.push(values.map(toPlain));
    if (lines.length < rowsAtOnce) continue;
    yield encoder.encode(toCsvText(lines));
    lines = [];
  }
  yield encoder.encode(toCsvText(lines));
}

function toPlain(value: Values[number]): CsvValue {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(" ") : value;
}

async function* writeParquet(rows: AsyncGenerator<Values>, columns: readonly Column[]): AsyncGenerator<Uint8Array> {
  const writer = new ByteWriter();
  const chunks: Uint8Array[] = [];
  // The Parquet writer calls this after each row group: its bytes move to `chunks`, and its buffer starts empty.
  const flush = () => {
    chunks.push(writer.getBytes().slice());
    writer.index = 0;
  };
  const described = columns.map(({ key, type }) => ({ name: key, type: parquetTypes[type], nullable: true }));
  const records = async function* () {
    for await (const values of rows) {
      yield Object.fromEntries(columns.map(({ key, type }, i) => [key, toTyped(values[i] ?? null, type)]));
    }
  };
  const whole = Object.assign(writer, { flush, finish: flush });
  await parquetWriteRows({ writer: whole, rows: records(), columns: described, rowGroupSize: rowsAtOnce });
  yield* chunks;
}

const parquetTypes: Readonly<Record<Field["type"], NonNullable<ColumnSource["type"]>>> = {
  text: "STRING",
  list: "STRING",
  number: "DOUBLE",
  duration: "DOUBLE",
  date: "TIMESTAMP",
};

function toTyped(value: Values[number], type: Field["type"]): string | number | Date | null {
  if (Array.isArray(value)) return value.join(" ");
  return value !== null && type === "text" ? String(value) : value;
}
