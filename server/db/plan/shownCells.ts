/** SQL condition on a cell: it has runs of its own, or never lost one to a stated configuration. */
export const shownSql = (cell: string): string =>
  `(EXISTS (SELECT FROM run WHERE run.cell_id = ${cell}.id)
    OR NOT EXISTS (SELECT FROM run WHERE run.imported_cell_id = ${cell}.id))`;

/** Environment name for grouping, like `nameOfEnvironment`. */
export const environmentSql = (spec: string): string =>
  `coalesce(${spec}->'environment'->>'title', ${spec}->'environment'->>'id')`;
