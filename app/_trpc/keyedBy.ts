type Keyed = { queryKey: readonly unknown[] };

/**
 * Adds state to a query key, so that a changed state refetches the query. Invalidation by the input still matches. The
 * key keeps its two parts, path and arguments: tRPC would read a longer key as one with a prefix.
 */
export function keyedBy<Options extends Keyed>(options: Options, ...state: readonly unknown[]) {
  const [path, args] = options.queryKey;
  const queryKey: readonly unknown[] = [path, { ...Object(args), state }];
  return { ...options, queryKey };
}
