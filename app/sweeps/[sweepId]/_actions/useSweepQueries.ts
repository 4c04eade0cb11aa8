"use client";
import type { QueryFilters } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";

/** Queries that an action on a sweep makes stale. */
export function useSweepQueries(id: string): QueryFilters[] {
  const trpc = useTrpc();
  return [trpc.sweep.byId.queryFilter({ id }), trpc.run.grid.queryFilter()];
}
