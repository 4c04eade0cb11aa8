type Keyed = { queryKey: readonly unknown[] };

/**
 * Adds state, such as a run's status, to a query key, so that a change of state refetches the query. Invalidation by
 * the query's input still matches the key.
 */
export function keyedBy<Options extends Keyed>(options: Options, ...state: readonly unknown[]) {
  const queryKey: readonly unknown[] = [...options.queryKey, ...state];
  return { ...options, queryKey };
}
