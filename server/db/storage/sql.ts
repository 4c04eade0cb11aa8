import { overStatuses } from "#server/domain/runs/runStatus.ts";

/** SQL condition for runs that count in their sweep: not added and then cancelled. `run`: table alias. */
export function countedSql(run: string): string {
  return `NOT (${run}.added_at IS NOT NULL AND ${run}.status = 'cancelled'
    AND ${run}.reason IS NOT DISTINCT FROM 'cancelled_by_user')`;
}

/**
 * SQL condition for sweeps whose plan starts runs by itself (rescue rules, searches). An imported sweep does not, unless
 * a person asked for it: `asked` is an SQL condition. `sweep`: table alias.
 */
export function actsSql(sweep: string, asked = "false"): string {
  return `(${sweep}.origin = 'plan' AND ${sweep}.intent = 'run' AND (${sweep}.imported_at IS NULL OR ${asked}))`;
}

export function overSql(run: string): string {
  return `${run}.status IN (${overStatuses.map((status) => `'${status}'`).join(", ")})`;
}

/** SQL for the iterations that a budget pays for, as in trainer/spec/budget.ts. `spec`: jsonb of a CellSpec. */
export function iterationsSql(spec: string): string {
  const split = `${spec}->'budget'->'split'`;
  const episodes = `((${spec}->'rollout'->>'numGroups')::float8 * (${spec}->'rollout'->>'groupSize')::float8)`;
  const rest = `(${split}->>'units')::float8 * (1 - (${split}->>'demonstrationShare')::float8)`;
  return `(CASE WHEN jsonb_typeof(${split}) = 'object' THEN floor(${rest} / ${episodes} + 1e-9)::int
    ELSE (${spec}->'budget'->>'iterations')::int END)`;
}

/**
 * SQL condition for cells whose budget is spent on demonstrations alone, so that it pays for no iteration. A budget of 0
 * without a split is that of a received or imported run, and unlimited.
 */
export function untrainedSql(spec: string): string {
  return `(jsonb_typeof(${spec}->'budget'->'split') = 'object' AND ${iterationsSql(spec)} = 0)`;
}

/** SQL for the execution provider that a cell's runs require: `cpu` for external trainers, which choose devices. */
export function providerSql(cell: string): string {
  return `CASE WHEN ${cell}.spec ? 'trainer' THEN 'cpu' ELSE coalesce(${cell}.spec->'execution'->>'provider', 'cpu') END`;
}
