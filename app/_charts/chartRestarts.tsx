"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { createContext, use, useMemo, type ReactNode } from "react";
import type { GhostLine } from "#server/domain/runs/series/ghosts.ts";
import { useTrpc } from "../_trpc/client.tsx";
import type { ChartRestart } from "./prepareRestarts.ts";
import { useChartSettings } from "./useLooks.ts";
import type { ChartScope } from "./useLiveCharts.ts";

type Restarts = { restarts: readonly ChartRestart[]; ghosts: readonly GhostLine[] };

const none: Restarts = { restarts: [], ghosts: [] };
const ChartRestartsContext = createContext<Restarts>(none);

/** Returns the restarts of the runs on the page and, if the reader shows replaced attempts, their values. */
export function useChartRestarts(): Restarts {
  return use(ChartRestartsContext);
}

type Props = { scope: ChartScope; keys: string[]; children: ReactNode };

export function ChartRestartsProvider({ scope, keys, children }: Props) {
  const trpc = useTrpc();
  const [{ ghosts: areAsked, range }] = useChartSettings();
  const { data: restarts = none.restarts } = useQuery(
    trpc.series.restarts.queryOptions({ scope }, { refetchInterval: 15_000 }),
  );
  const { data: ghosts = none.ghosts } = useQuery(
    trpc.series.ghosts.queryOptions(
      { scope, keys, range: range ? [...range] : null },
      { enabled: areAsked && restarts.length > 0, placeholderData: keepPreviousData, refetchInterval: 15_000 },
    ),
  );
  const value = useMemo(() => ({ restarts, ghosts: areAsked ? ghosts : none.ghosts }), [restarts, ghosts, areAsked]);
  return <ChartRestartsContext value={value}>{children}</ChartRestartsContext>;
}
