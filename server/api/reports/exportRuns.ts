import { ByteWriter, parquetWriteRows, type ColumnSource } from "hyparquet-writer";
import type { Database } from "#server/db/client.ts";
import { readRunsById, type RunTableRow } from "#server/db/runtable/rows.ts";
import { indexFields } from "#server/domain/runtable/findField.ts";
import type { Field } from "#server/domain/runtable/field.ts";
import { badInput } from "#server/domain/errors.ts";
import { toCsvText, type CsvValue } from "#server/domain/tables/csv.ts";
import { readFields } from "#server/db/runtable/catalogue.ts";

export type ExportFormat = "csv" | "parquet";

type Asked = { ids: readonly string[]; columns: readonly string[]; format: ExportFormat };

/** Runs read at a time, whatever there are in all; in Parquet, rows of a group. */
const rowsAtOnce = 1000;

/**
 * These runs as a file: who each is (id, method, configuration, seed), then the columns. They are read a thousand at a
 * time; CSV is sent as it is written, Parquet once its last group is encoded.
 */
export async function exportRuns(
  { pool }: Database,
  { ids, columns, format }: Asked,
): Promise<AsyncGenerator<Uint8Array>> {
  const index = indexFields(await readFields(pool));
  const asked = columns.map((key) => {
    const field = index.find(key);
    if (field) return field;
    throw badInput([{ path: "columns", message: `runs have no field ${key}` }]);
  });
  const first = ["run", "method", "configuration", "seed"].flatMap((key) => index.find(key) ?? []);
  const fields = [...first, ...asked.filter(({ key }) => !first.some((one) => one.key === key))];
  const rows = listRows(pool, ids, fields);
  return format === "csv" ? writeCsv(rows, fields) : writeParquet(rows, fields);
}

type Values = RunTableRow["values"];

async function* listRows(
  pool: Database["pool"],
  ids: readonly string[],
  fields: readonly Field[],
): AsyncGenerator<Values> {
  for (let at = 0; at < ids.length; at += rowsAtOnce) {
    for (const { values } of await readRunsById(pool, ids.slice(at, at + rowsAtOnce), fields)) yield values;
  }
}

async function* writeCsv(rows: AsyncGenerator<Values>, fields: readonly Field[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let lines: CsvValue[][] = [fields.map(({ key }) => key)];
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

async function* writeParquet(rows: AsyncGenerator<Values>, fields: readonly Field[]): AsyncGenerator<Uint8Array> {
  const writer = new ByteWriter();
  const chunks: Uint8Array[] = [];
  // After each group of rows: what is written is handed on and forgotten.
  const flush = () => {
    chunks.push(writer.getBytes().slice());
    writer.index = 0;
  };
  const columns = fields.map(({ key, type }) => ({ name: key, type: parquetTypes[type], nullable: true }));
  const records = async function* () {
    for await (const values of rows) {
      yield Object.fromEntries(fields.map(({ key, type }, i) => [key, toTyped(values[i] ?? null, type)]));
    }
  };
  const whole = Object.assign(writer, { flush, finish: flush });
  await parquetWriteRows({ writer: whole, rows: records(), columns, rowGroupSize: rowsAtOnce });
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
