/** The execution provider that runs of a cell ask for; another trainer has its own devices and asks for none. */
export function providerSql(cell: string): string {
  return `CASE WHEN ${cell}.spec ? 'trainer' THEN 'cpu' ELSE coalesce(${cell}.spec->'execution'->>'provider', 'cpu') END`;
}
