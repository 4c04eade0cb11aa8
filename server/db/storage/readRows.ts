import type { ClientBase, Pool } from "pg";
import { z } from "zod";
import { Hindsight, StatusChanges, statuses } from "#packages/detector";
import { parseRunReason, parseRunStatus } from "#server/domain/runs/runStatus.ts";

type Statement = { sql: string; values?: readonly unknown[] };

/**
 * Runs an SQL statement and parses each result row with zod: a column that was renamed or became nullable fails here,
 * by name. Parsing takes a microsecond per row and column; bulk reads use COPY (`copyOut`).
 */
export async function readRows<Row extends z.ZodType>(
  client: Pool | ClientBase,
  row: Row,
  { sql, values = [] }: Statement,
): Promise<z.output<Row>[]> {
  const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
  return z.array(row).parse(rows);
}

/** Schemas of database columns that several SQL statements read. */
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
