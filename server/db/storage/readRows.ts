import type { ClientBase, Pool } from "pg";
import { z } from "zod";
import { Hindsight, StatusChanges, statuses } from "#packages/detector";
import { parseRunReason, parseRunStatus } from "#server/domain/runs/runStatus.ts";

type Statement = { sql: string; values?: readonly unknown[] };

/** Parses result rows: a renamed or nullable column fails here, by name. Bulk reads, where it counts, use `copyOut`. */
export async function readRows<Row extends z.ZodType>(
  client: Pool | ClientBase,
  row: Row,
  { sql, values = [] }: Statement,
): Promise<z.output<Row>[]> {
  const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
  return z.array(row).parse(rows);
}

/** Reads the values of a result that has one column. */
export async function readColumn<Value extends z.ZodType>(
  client: Pool | ClientBase,
  value: Value,
  statement: Statement,
): Promise<z.output<Value>[]> {
  const rows = await readRows(client, z.record(z.string(), value), statement);
  return rows.flatMap((row) => Object.values(row));
}

export const RunStatusColumn = z.string().transform(parseRunStatus);
export const RunReasonColumn = z.string().nullable().transform(parseRunReason);
export const DetectionColumns = {
  status: z.enum(statuses),
  index: z.number().nullable(),
  iteration: z.int(),
  numSteps: z.int(),
  changes: StatusChanges,
  keys: z.array(z.string()),
  hindsight: Hindsight.nullable(),
};
