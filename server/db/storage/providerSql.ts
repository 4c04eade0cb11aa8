/** Execution provider required by runs of a cell; none for other trainers, which have their own devices. */
export function providerSql(cell: string): string {
  return `CASE WHEN ${cell}.spec ? 'trainer' THEN 'cpu' ELSE coalesce(${cell}.spec->'execution'->>'provider', 'cpu') END`;
}
