"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import type { RunRow } from "#server/db/runs/runs.ts";
import { useTrpc } from "../_trpc/client.tsx";
import type { ChartScope } from "./useLiveCharts.ts";

/** Interval at which a page refetches data that deltas do not carry: counts, times, attempts. */
const refreshMs = 1000;

/** Puts changed runs into the grid at once, and refetches queries that summarise them at most once a second. */
export function useNewsOfRuns(scope: ChartScope): (rows: RunRow[]) => void {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const name = JSON.stringify(scope);
  return useCallback(
    (rows: RunRow[]) => {
      if ("sweepIds" in scope) {
        const fresh = new Map(rows.map((row) => [row.id, row]));
        queryClient.setQueryData(trpc.run.grid.queryKey({ sweepIds: scope.sweepIds }), (old) =>
          old ? { ...old, runs: old.runs.map((run) => fresh.get(run.id) ?? run) } : old,
        );
      }
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        if ("sweepIds" in scope) {
          void queryClient.invalidateQueries(trpc.sweep.byId.queryFilter());
          void queryClient.invalidateQueries(trpc.table.final.queryFilter());
        } else if ("runId" in scope) {
          void queryClient.invalidateQueries(trpc.run.byId.queryFilter({ id: scope.runId }));
        } else void queryClient.invalidateQueries(trpc.runTable.rows.queryFilter());
      }, refreshMs);
    },
    // `name` identifies the scope, which callers create again at each render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [name, queryClient, trpc],
  );
}
