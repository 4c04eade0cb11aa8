import { overStatuses } from "#server/domain/runs/runStatus.ts";

/** SQL condition for runs that count in their sweep: excludes those added and then cancelled (`isTakenBack`). */
export function countedSql(run: string): string {
  return `NOT (${run}.added_at IS NOT NULL AND ${run}.status = 'cancelled'
    AND ${run}.reason IS NOT DISTINCT FROM 'cancelled_by_user')`;
}

/** `isOver` in SQL: true for a terminal status. @param run the table's name or alias */
export function overSql(run: string): string {
  return `${run}.status IN (${overStatuses.map((status) => `'${status}'`).join(", ")})`;
}

/**
 * `spendingOf(spec).iterations` of trainer/spec/budget.ts in SQL, for sums over many cells. @param spec a jsonb
 * expression with a CellSpec
 */
export function iterationsSql(spec: string): string {
  const split = `${spec}->'budget'->'split'`;
  const episodes = `((${spec}->'rollout'->>'numGroups')::float8 * (${spec}->'rollout'->>'groupSize')::float8)`;
  const rest = `(${split}->>'units')::float8 * (1 - (${split}->>'demonstrationShare')::float8)`;
  return `(CASE WHEN jsonb_typeof(${split}) = 'object' THEN floor(${rest} / ${episodes} + 1e-9)::int
    ELSE (${spec}->'budget'->>'iterations')::int END)`;
}

/** Execution provider that runs of a cell require; none for other trainers, which choose devices themselves. */
export function providerSql(cell: string): string {
  return `CASE WHEN ${cell}.spec ? 'trainer' THEN 'cpu' ELSE coalesce(${cell}.spec->'execution'->>'provider', 'cpu') END`;
}
