import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { AppRouter } from "#server/api/root.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import type { RunView } from "#server/domain/runs/table/scope.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { refreshRows } from "./refreshRows.ts";
import { windowLength } from "./view.ts";

export type TableRun = inferRouterOutputs<AppRouter>["runTable"]["rows"]["rows"][number];

const renewMs = 10_000;

/** Fetches the table's first and visible rows, a hundred per request; previous rows stay until new ones arrive. */
export function useRunWindows({ filter, columns, order }: Omit<RunView, "groupBy">) {
  const trpc = useTrpc();
  const [{ from, to }, setInSight] = useState({ from: 0, to: 0 });
  const input = (window: number) => {
    return { filter, columns, order, offset: window * windowLength, limit: windowLength };
  };
  const behind = useBehind();
  const first = useQuery(
    trpc.runTable.rows.queryOptions(input(0), {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state: { data } }) => (isMoving(data) ? renewMs : false),
    }),
  );
  const windows = useMemo(() => listWindows(from, to), [from, to]);
  const others = useQueries({
    queries: windows.map((window) =>
      trpc.runTable.rows.queryOptions(input(window), {
        refetchInterval: ({ state: { data } }) => (isMoving(data) ? renewMs : false),
      }),
    ),
    combine: rowsOf,
  });
  const rows = useMemo(() => {
    const byWindow = new Map<number, readonly TableRun[]>();
    for (const [i, window] of windows.entries()) byWindow.set(window, others[i] ?? []);
    return byWindow.set(0, first.data?.rows ?? []);
  }, [windows, others, first.data]);
  const itemAt = useCallback(
    (index: number) => rows.get(Math.floor(index / windowLength))?.[index % windowLength],
    [rows],
  );
  const onRange = useCallback((firstRow: number, lastRow: number) => {
    const after = { from: Math.floor(firstRow / windowLength), to: Math.floor(lastRow / windowLength) };
    // Keeps the state if the same requests cover the new scroll position; the table is then not rendered again.
    setInSight((before) => (before.from === after.from && before.to === after.to ? before : after));
  }, []);
  return { query: first, total: first.data?.total ?? 0, itemAt, onRange, numBehind: behind };
}

export function usePrefetchRows(): (view: Omit<RunView, "groupBy">) => void {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  return ({ filter, columns, order }) => {
    const first = { filter, columns, order, offset: 0, limit: windowLength };
    void queryClient.prefetchQuery(trpc.runTable.rows.queryOptions(first));
  };
}

/** Returns the number of runs with outdated values; when the server has recomputed some, rows are refetched. */
function useBehind(): number {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const every = {
    refetchInterval: ({ state: { data = 0 } }: { state: { data?: number | undefined } }) => (data > 0 ? 3000 : renewMs),
  };
  const { data = 0 } = useQuery(trpc.runTable.numBehind.queryOptions(undefined, every));
  const before = useRef(data);
  useEffect(() => {
    const { rows, groups } = trpc.runTable;
    if (data < before.current) void refreshRows(queryClient, { rows: rows.pathFilter(), groups: groups.pathFilter() });
    before.current = data;
  }, [data, queryClient, trpc]);
  return data;
}

/** Returns each request's rows. Module-level, so that React Query memoizes them and unchanged rows do not rerender. */
function rowsOf(results: readonly { data: { rows: TableRun[] } | undefined }[]) {
  return results.map(({ data }) => data?.rows);
}

/** Returns the indices of the requests for a range of rows, without the first one, which is always fetched. */
function listWindows(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((window) => window > 0);
}

function isMoving(data: inferRouterOutputs<AppRouter>["runTable"]["rows"] | undefined): boolean {
  return data !== undefined && data.rows.some(({ status }) => !isOver(status));
}
