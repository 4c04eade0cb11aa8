/** The runs that make up a sweep, by SQL: all but those that were added and then cancelled (`isTakenBack`). */
export function countedSql(run: string): string {
  return `NOT (${run}.added_at IS NOT NULL AND ${run}.status = 'cancelled'
    AND ${run}.reason IS NOT DISTINCT FROM 'cancelled_by_user')`;
}
