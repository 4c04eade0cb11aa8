/** Over a cell: whether it has runs of its own, or never lost one to a configuration that a person stated. */
export const shownSql = (cell: string): string =>
  `(EXISTS (SELECT FROM run WHERE run.cell_id = ${cell}.id)
    OR NOT EXISTS (SELECT FROM run WHERE run.imported_cell_id = ${cell}.id))`;

/** The name that a specification's environment is grouped by, as `nameOfEnvironment` reads it. */
export const environmentSql = (spec: string): string =>
  `coalesce(${spec}->'environment'->>'title', ${spec}->'environment'->>'id')`;
