/**
 * SQL for the choice of all runs of cell `c` of sweep `s`; NULL if it depends on the run. A rescue experiment is known
 * by the name that `planRescue` gives its plan.
 */
export const choiceOfCellSql = `CASE c.spec->'initialisation'->>'kind'
  WHEN 'branch' THEN CASE WHEN s.plan->>'name' = left(format('Rescue of %s after %s',
    c.spec->'initialisation'->>'run', c.spec->'initialisation'->>'iteration'), 100) THEN 'rescue arm' ELSE 'branch' END
  WHEN 'run' THEN 'start'
  ELSE CASE WHEN s.plan ? 'search' THEN 'search trial' WHEN s.origin <> 'plan' THEN 'imported' END END`;

/** SQL for a run's choice, one of the words of `choices`. */
export const choiceSql = `coalesce(${choiceOfCellSql}, CASE WHEN r.added_at IS NULL THEN 'plan' ELSE 'added seed' END)`;
