type Keyed = { queryKey: readonly unknown[] };

/**
 * A query that is asked anew when something changes which its input does not name, such as a run's state. Whoever
 * invalidates the query by its input still finds it.
 */
export function keyedBy<Options extends Keyed>(options: Options, ...state: readonly unknown[]) {
  const queryKey: readonly unknown[] = [...options.queryKey, ...state];
  return { ...options, queryKey };
}
