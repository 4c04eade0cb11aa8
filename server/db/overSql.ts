import { overStatuses } from "#server/domain/runStatus.ts";

/** `isOver` by SQL: whether nothing more will happen to a run. @param run the table's name or alias */
export function overSql(run: string): string {
  return `${run}.status IN (${overStatuses.map((status) => `'${status}'`).join(", ")})`;
}
