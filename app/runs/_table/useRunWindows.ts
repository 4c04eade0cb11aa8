"use client";
import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { AppRouter } from "#server/api/root.ts";
import { isOver } from "#server/domain/runStatus.ts";
import type { RunView } from "#server/domain/runtable/view.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { windowLength } from "./windowLength.ts";

export type TableRun = inferRouterOutputs<AppRouter>["runTable"]["rows"]["rows"][number];

const renewMs = 10_000;

/** The rows of a view that are in sight, read a hundred at a time; of the former view until the new one is here. */
export function useRunWindows({ filter, columns, order }: Omit<RunView, "groupBy">) {
  const trpc = useTrpc();
  const [range, setRange] = useState({ first: 0, last: 0 });
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
  const windows = useMemo(() => listWindows(range.first, range.last), [range.first, range.last]);
  const others = useQueries({
    queries: windows.map((window) =>
      trpc.runTable.rows.queryOptions(input(window), {
        refetchInterval: ({ state: { data } }) => (isMoving(data) ? renewMs : false),
      }),
    ),
    combine: (results) => results.map(({ data }) => data?.rows),
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
  const onRange = useCallback((from: number, to: number) => setRange({ first: from, last: to }), []);
  return { query: first, total: first.data?.total ?? 0, itemAt, onRange, numBehind: behind };
}

/** How many runs have values that are about to change; each time that some have changed, rows are read again. */
function useBehind(): number {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const every = {
    refetchInterval: ({ state: { data = 0 } }: { state: { data?: number | undefined } }) => (data > 0 ? 3000 : renewMs),
  };
  const { data = 0 } = useQuery(trpc.runTable.numBehind.queryOptions(undefined, every));
  const before = useRef(data);
  useEffect(() => {
    if (data < before.current) void queryClient.invalidateQueries(trpc.runTable.pathFilter());
    before.current = data;
  }, [data, queryClient, trpc]);
  return data;
}

/** Windows beyond the first that hold some of these rows. */
function listWindows(first: number, last: number): number[] {
  const [from, to] = [Math.floor(first / windowLength), Math.floor(last / windowLength)];
  return Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((window) => window > 0);
}

function isMoving(data: inferRouterOutputs<AppRouter>["runTable"]["rows"] | undefined): boolean {
  return data !== undefined && data.rows.some(({ status }) => !isOver(status));
}
