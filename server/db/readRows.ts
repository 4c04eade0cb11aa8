import type { ClientBase, Pool } from "pg";
import { z } from "zod";

type Statement = { sql: string; values?: readonly unknown[] };

/**
 * The rows of a statement, each checked to be what the code takes it for: a column that is renamed or becomes nullable
 * fails here, by name, and not where somebody calculates with it. A microsecond a row and column; what is read by the
 * hundred thousand goes through COPY (`copyOut`).
 */
export async function readRows<Row extends z.ZodType>(
  client: Pool | ClientBase,
  row: Row,
  { sql, values = [] }: Statement,
): Promise<z.output<Row>[]> {
  const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
  return z.array(row).parse(rows);
}
