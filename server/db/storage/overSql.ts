import { overStatuses } from "#server/domain/runs/runStatus.ts";

/** `isOver` in SQL: true for a terminal status. @param run the table's name or alias */
export function overSql(run: string): string {
  return `${run}.status IN (${overStatuses.map((status) => `'${status}'`).join(", ")})`;
}
