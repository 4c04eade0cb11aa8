"use client";
import { skipToken, useQuery } from "@tanstack/react-query";
import { createContext, use, useMemo, type ReactNode } from "react";
import type { XAxis } from "#server/domain/runs/series/xAxis.ts";
import { useTrpc } from "../_trpc/client.tsx";
import type { ChartAxis } from "#server/domain/runs/series/projectChart.ts";
import type { ChartScope } from "./useLiveCharts.ts";

const iterations: ChartAxis = { kind: "iteration" };
const ChartAxisContext = createContext<ChartAxis>(iterations);

/** The x-axis of the page's charts. */
export function useChartAxis(): ChartAxis {
  return use(ChartAxisContext);
}

type Props = { scope: ChartScope; kind: XAxis; children: ReactNode };

/** Reads the progress of the runs if the x-axis is not the iteration. */
export function ChartAxisProvider({ scope, kind, children }: Props) {
  const trpc = useTrpc();
  const { data } = useQuery(
    trpc.series.progress.queryOptions(kind === "iteration" ? skipToken : { scope, axis: kind }, {
      refetchInterval: 15_000,
    }),
  );
  const axis = useMemo((): ChartAxis => (kind === "iteration" ? iterations : { kind, progress: data }), [kind, data]);
  return <ChartAxisContext value={axis}>{children}</ChartAxisContext>;
}
