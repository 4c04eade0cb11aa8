import type { Row } from "./table.ts";

/** Every run behind a table, once, in order of first use. */
export function listRunIds(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap(({ runIds }) => runIds))];
}
