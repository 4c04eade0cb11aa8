import { ByteWriter, parquetWriteRows, type ColumnSource } from "hyparquet-writer";
import type { RunTableRow } from "#server/db/runs/table/rows.ts";
import type { Field } from "#server/domain/runs/table/field.ts";
import { toCsvText, type CsvValue } from "#server/domain/publish/tables/csv.ts";

export type ExportFormat = "csv" | "parquet";
export type Values = RunTableRow["values"];
export type Column = Pick<Field, "key" | "type">;

/** Rows per chunk of CSV; in Parquet, rows per row group. */
const rowsAtOnce = 1000;

/** Writes rows as a file. CSV is streamed; Parquet is complete once its last group is encoded. */
export function writeRows(
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
  // Called by the writer after each row group: the bytes move to `chunks`, and its buffer restarts.
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
