import { type QueryFilters, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";

type Refetch = () => Promise<unknown>;

/**
 * Returns a function that calls `refetch` `everyMs` later, and never before the previous refetch has ended. Of the
 * calls in between, only the last is carried out.
 */
export function makePaced(everyMs: number): (refetch: Refetch) => void {
  let isBusy = false;
  let next: Refetch | undefined;
  const paced = (refetch: Refetch) => {
    next = refetch;
    if (isBusy) return;
    isBusy = true;
    const run = async () => {
      const current = next;
      next = undefined;
      await current?.().catch(() => undefined);
      isBusy = false;
      if (next) paced(next);
    };
    setTimeout(() => void run(), everyMs);
  };
  return paced;
}

/** Returns a function that refetches the queries that match any of the filters, paced as by `makePaced`. */
export function usePacedRefetch(everyMs: number): (...stale: QueryFilters[]) => void {
  const queryClient = useQueryClient();
  const [paced] = useState(() => makePaced(everyMs));
  return useCallback(
    (...stale) => paced(() => Promise.all(stale.map((filters) => queryClient.invalidateQueries(filters)))),
    [paced, queryClient],
  );
}
