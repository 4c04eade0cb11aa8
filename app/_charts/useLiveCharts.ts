"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useSyncExternalStore } from "react";
import type {
  Aggregate,
  Chart,
  ChartBand,
  ChartDelta,
  ChartLine,
  RunMark,
} from "#server/domain/runs/series/chartData.ts";
import type { RunRow } from "#server/db/runs/runs.ts";
import { usePacedRefetch } from "../_trpc/pacedRefetch.ts";
import { isLongInput, useTrpc, useTrpcClient } from "../_trpc/client.tsx";

export type ChartScope = { sweepIds: string[]; cellIds?: number[] } | { runId: string } | { runIds: string[] };
type Selection = {
  scope: ChartScope;
  keys: string[];
  aggregate: Aggregate;
  seeds: boolean;
  range: readonly [number, number] | null;
};

/** Polling interval in ms for charts whose query is too long for the URL of an event stream. */
const longEveryMs = 10_000;

/** Maximum number of points of a line that grows by streamed values; the server downsamples a longer line again. */
const maxGrownPoints = 1600;

/** Returns charts that a stream keeps up to date. Hidden pages close the stream: browsers allow six per host. */
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
  // While `isPlaceholderData` is true, the charts are those of the previous selection.
  return { charts: data?.charts ?? [], error, isLoading: isPending, isStale: isPlaceholderData };
}

function isOutgrown(charts: readonly Chart[]): boolean {
  return charts.some((chart) => chart.bands.some((band) => band.iterations.length > maxGrownPoints));
}

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

/** Merges newly logged values into charts. The function is pure and idempotent: a repeated delta changes nothing. */
export function applyDeltas(charts: readonly Chart[], deltas: readonly ChartDelta[]): Chart[] {
  const deltaOf = new Map(deltas.map((delta) => [delta.key, delta]));
  // A chart without new data keeps its object identity, so it is not rendered again.
  return charts.map((chart) => {
    const delta = deltaOf.get(chart.key);
    return delta ? applyDelta(chart, delta) : chart;
  });
}

function applyDelta(chart: Chart, delta: ChartDelta): Chart {
  const kept = chart.nonFinite.filter((value) => !delta.restarted.includes(value.runId));
  return {
    key: chart.key,
    bands: putIn(chart.bands, delta.bands, { nameOf: (band) => String(band.cellId), merge: mergeBands }),
    lines: putIn(chart.lines, delta.lines, { nameOf: (line) => line.runId, merge: mergeLines }),
    nonFinite: [...new Map([...kept, ...delta.nonFinite].map((value) => [nameValue(value), value])).values()],
    numUnlisted: chart.numUnlisted,
  };
}

function nameValue({ runId, iteration }: RunMark): string {
  return `${runId} ${iteration}`;
}

function putIn<Item>(
  items: readonly Item[],
  news: readonly (Item & { isWhole: boolean })[],
  { nameOf, merge }: { nameOf: (item: Item) => string; merge: (old: Item, fresh: Item) => Item },
): Item[] {
  const next = new Map(items.map((item) => [nameOf(item), item]));
  for (const fresh of news) {
    const old = next.get(nameOf(fresh));
    next.set(nameOf(fresh), old && !fresh.isWhole ? merge(old, fresh) : fresh);
  }
  return [...next.values()];
}

function mergeBands(old: ChartBand, fresh: ChartBand): ChartBand {
  const order = mergeOrder(old.iterations, fresh.iterations);
  return {
    ...mergeEnds(old, fresh),
    cellId: old.cellId,
    iterations: order.map(({ iteration }) => iteration),
    values: pick(order, old.values, fresh.values),
    lows: pick(order, old.lows, fresh.lows),
    highs: pick(order, old.highs, fresh.highs),
    counts: pick(order, old.counts, fresh.counts),
    measured: pick(order, old.measured, fresh.measured),
    edges: fresh.edges,
  };
}

function mergeLines(old: ChartLine, fresh: ChartLine): ChartLine {
  const order = mergeOrder(old.iterations, fresh.iterations);
  return {
    ...mergeEnds(old, fresh),
    runId: old.runId,
    iterations: order.map(({ iteration }) => iteration),
    values: pick(order, old.values, fresh.values),
  };
}

type Ends = Pick<ChartBand, "iterations" | "breaks" | "cadence" | "numPoints" | "numNotPositive">;

// Keeps the old gaps outside the iterations of the new data; all other values are those of the new data.
function mergeEnds(old: Ends, fresh: Ends): Omit<Ends, "iterations"> {
  const [from, to] = [fresh.iterations[0] ?? Number.POSITIVE_INFINITY, fresh.iterations.at(-1) ?? 0];
  const outside = old.breaks.filter((iteration) => iteration < from || iteration > to);
  const { cadence, numPoints, numNotPositive } = fresh;
  return { breaks: [...outside, ...fresh.breaks], cadence, numPoints, numNotPositive };
}

type Taken = { iteration: number; from: "old" | "fresh"; index: number };

/** Merges two ascending lists of iterations, with the source of each; `fresh` takes precedence. */
function mergeOrder(old: readonly number[], fresh: readonly number[]): Taken[] {
  const taken = new Map<number, Taken>();
  for (const [index, iteration] of old.entries()) taken.set(iteration, { iteration, from: "old", index });
  for (const [index, iteration] of fresh.entries()) taken.set(iteration, { iteration, from: "fresh", index });
  return [...taken.values()].sort((a, b) => a.iteration - b.iteration);
}

function pick<Value>(order: readonly Taken[], old: readonly Value[], fresh: readonly Value[]): Value[] {
  return order.flatMap(({ from, index }) => (from === "old" ? old : fresh).slice(index, index + 1));
}

/** Minimum interval in ms between refetches of data that the stream does not contain: counts, durations, attempts. */
const refreshMs = 1000;

/** Returns a callback that writes changed runs into the grid, and refetches summaries at most once a second. */
export function useNewsOfRuns(scope: ChartScope): (rows: RunRow[]) => void {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const refetch = usePacedRefetch(refreshMs);
  const name = JSON.stringify(scope);
  return useCallback(
    (rows: RunRow[]) => {
      if ("sweepIds" in scope) {
        const fresh = new Map(rows.map((row) => [row.id, row]));
        queryClient.setQueryData(trpc.run.grid.queryKey({ sweepIds: scope.sweepIds }), (old) =>
          old ? { ...old, runs: old.runs.map((run) => fresh.get(run.id) ?? run) } : old,
        );
      }
      if ("sweepIds" in scope) refetch(trpc.sweep.byId.queryFilter(), trpc.table.final.queryFilter());
      else if ("runId" in scope) refetch(trpc.run.byId.queryFilter({ id: scope.runId }));
      else refetch(trpc.runTable.rows.queryFilter());
    },
    // `name` identifies the scope, which callers create again at each render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [name, queryClient, refetch, trpc],
  );
}
