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
