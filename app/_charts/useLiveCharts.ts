"use client";
import { useQuery, useQueryClient, keepPreviousData } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { Chart } from "#server/domain/runs/series/chartData.ts";
import type { Aggregate } from "#server/domain/runs/series/aggregate.ts";
import type { RunRow } from "#server/db/runs/runs.ts";
import { isLongInput, useTrpc, useTrpcClient } from "../_trpc/client.tsx";
import { applyDeltas } from "./applyDelta.ts";

export type ChartScope = { sweepIds: string[]; cellIds?: number[] } | { runId: string } | { runIds: string[] };
type Selection = {
  scope: ChartScope;
  keys: string[];
  aggregate: Aggregate;
  seeds: boolean;
  range: readonly [number, number] | null;
};

/** Polling interval for charts whose names are too long for a stream's address. */
const longEveryMs = 10_000;

/** Maximum points of a line after appends; beyond it the server is asked to reduce the line again. */
const maxGrownPoints = 1600;

/**
 * Charts of a selection, kept up to date: one query, then a stream of deltas from its end. A hidden page closes its stream (browsers allow six per
 * host) and catches up when it is shown.
 */
export function useLiveCharts(
  { range, ...selected }: Selection,
  onRuns: (rows: RunRow[]) => void,
): { charts: Chart[]; error: unknown; isLoading: boolean; isStale: boolean } {
  const trpc = useTrpc();
  const client = useTrpcClient();
  const queryClient = useQueryClient();
  const isVisible = usePageVisible();
  const input = { ...selected, range: range ? [...range] : null };
  const isLong = isLongInput(input);
  const options = trpc.series.charts.queryOptions(input, {
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    refetchInterval: isLong ? longEveryMs : false,
  });
  const query = useQuery(options);
  const isReady = query.isSuccess && !query.isPlaceholderData;
  const selection = JSON.stringify(options.queryKey);

  useEffect(() => {
    if (!isReady || !isVisible || isLong) return;
    const cursor = queryClient.getQueryData(options.queryKey)?.cursor;
    if (cursor === undefined) return;
    const subscription = client.series.live.subscribe(
      { ...input, cursor },
      {
        onData: ({ data }) => {
          if (data.runs.length > 0) onRuns(data.runs);
          if (data.isRegrouped) {
            void queryClient.invalidateQueries({ queryKey: options.queryKey });
            void queryClient.invalidateQueries(trpc.run.grid.queryFilter());
            void queryClient.invalidateQueries(trpc.run.takenBack.queryFilter());
            return;
          }
          const next = queryClient.setQueryData(options.queryKey, (old) =>
            old ? { cursor: data.cursor, charts: applyDeltas(old.charts, data.charts) } : old,
          );
          if (next && isOutgrown(next.charts)) void queryClient.invalidateQueries({ queryKey: options.queryKey });
        },
      },
    );
    return () => subscription.unsubscribe();
    // `selection` determines input and options.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [selection, isReady, isVisible]);

  const { data, error, isPending, isPlaceholderData } = query;
  // Stale: these charts belong to the previous choice; those of the new one are still loading.
  return { charts: data?.charts ?? [], error, isLoading: isPending, isStale: isPlaceholderData };
}

function isOutgrown(charts: readonly Chart[]): boolean {
  return charts.some((chart) => chart.bands.some((band) => band.iterations.length > maxGrownPoints));
}

/** True while the page is visible: false for a tab in the background. */
export function usePageVisible(): boolean {
  return useSyncExternalStore(
    onVisibilityChange,
    () => document.visibilityState === "visible",
    () => true,
  );
}

function onVisibilityChange(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}
