type Keyed = { queryKey: readonly unknown[] };

/** Adds state to a query key, such as a run's state, so that a change refetches the query. Invalidating by the input still matches it. */
export function keyedBy<Options extends Keyed>(options: Options, ...state: readonly unknown[]) {
  const queryKey: readonly unknown[] = [...options.queryKey, ...state];
  return { ...options, queryKey };
}
