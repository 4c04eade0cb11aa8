type Keyed = { queryKey: readonly unknown[] };

/** Adds state to a query key, so that a changed state refetches the query. Invalidation by the input still matches. */
export function keyedBy<Options extends Keyed>(options: Options, ...state: readonly unknown[]) {
  const queryKey: readonly unknown[] = [...options.queryKey, ...state];
  return { ...options, queryKey };
}
