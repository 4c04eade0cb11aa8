import type { ClientBase, Pool } from "pg";
import { z } from "zod";

type Statement = { sql: string; values?: readonly unknown[] };

/**
 * Rows of a statement, each parsed: a renamed column or one that became nullable fails here, by name. Costs a
 * microsecond per row and column; bulk reads use COPY (`copyOut`).
 */
export async function readRows<Row extends z.ZodType>(
  client: Pool | ClientBase,
  row: Row,
  { sql, values = [] }: Statement,
): Promise<z.output<Row>[]> {
  const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
  return z.array(row).parse(rows);
}
