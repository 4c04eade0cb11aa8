import { overStatuses } from "#server/domain/runs/runStatus.ts";

/** SQL condition for runs that count in their sweep; excludes runs added and then cancelled (`isTakenBack`). */
export function countedSql(run: string): string {
  return `NOT (${run}.added_at IS NOT NULL AND ${run}.status = 'cancelled'
    AND ${run}.reason IS NOT DISTINCT FROM 'cancelled_by_user')`;
}

/** SQL form of `isOver`: true for a terminal status. `run`: name or alias of the table. */
export function overSql(run: string): string {
  return `${run}.status IN (${overStatuses.map((status) => `'${status}'`).join(", ")})`;
}

/**
 * SQL form of `spendingOf(spec).iterations` in trainer/spec/budget.ts, for sums over many cells.
 * @param spec jsonb expression with a CellSpec
 */
export function iterationsSql(spec: string): string {
  const split = `${spec}->'budget'->'split'`;
  const episodes = `((${spec}->'rollout'->>'numGroups')::float8 * (${spec}->'rollout'->>'groupSize')::float8)`;
  const rest = `(${split}->>'units')::float8 * (1 - (${split}->>'demonstrationShare')::float8)`;
  return `(CASE WHEN jsonb_typeof(${split}) = 'object' THEN floor(${rest} / ${episodes} + 1e-9)::int
    ELSE (${spec}->'budget'->>'iterations')::int END)`;
}

/** SQL for the execution provider that runs of a cell require: `cpu` for other trainers, which choose devices. */
export function providerSql(cell: string): string {
  return `CASE WHEN ${cell}.spec ? 'trainer' THEN 'cpu' ELSE coalesce(${cell}.spec->'execution'->>'provider', 'cpu') END`;
}
