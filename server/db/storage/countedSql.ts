/** SQL condition for runs that belong to a sweep: excludes those added and then cancelled (`isTakenBack`). */
export function countedSql(run: string): string {
  return `NOT (${run}.added_at IS NOT NULL AND ${run}.status = 'cancelled'
    AND ${run}.reason IS NOT DISTINCT FROM 'cancelled_by_user')`;
}
