"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useMemo } from "react";
import type { XAxis } from "#server/domain/runs/series/chartData.ts";
import type { ChartAxis } from "#server/domain/runs/series/projectChart.ts";
import { useTrpc } from "../_trpc/client.tsx";
import { askBaseline, baselinePart } from "../_ui/baseline.ts";
import { useAddress } from "../_ui/useAddress.ts";
import type { ChartReference } from "./prepareReferences.ts";
import type { ChartScope } from "./useLiveCharts.ts";

const none: readonly ChartReference[] = [];
const ChartReferencesContext = createContext<readonly ChartReference[]>(none);

/** Returns the final values of the baselines that charts draw as horizontal lines: pinned, or named in the URL. */
export function useChartReferences(): readonly ChartReference[] {
  return use(ChartReferencesContext);
}

type Props = { scope: ChartScope; keys: string[]; children: ReactNode };

export function ChartReferencesProvider({ scope, keys, children }: Props) {
  const [chosen] = useAddress(baselinePart);
  const { data = none } = useQuery(
    useTrpc().series.references.queryOptions(
      { scope, keys, ...askBaseline(chosen) },
      { enabled: keys.length > 0, refetchInterval: 15_000 },
    ),
  );
  return <ChartReferencesContext value={data}>{children}</ChartReferencesContext>;
}

const iterations: ChartAxis = { kind: "iteration" };
const ChartAxisContext = createContext<ChartAxis>(iterations);

export function useChartAxis(): ChartAxis {
  return use(ChartAxisContext);
}

type useChartAxisProps = { scope: ChartScope; kind: XAxis; children: ReactNode };

/** Provides the shared x-axis to the charts below; fetches the runs' tokens, time or steps if the x-axis needs them. */
export function ChartAxisProvider({ scope, kind, children }: useChartAxisProps) {
  const trpc = useTrpc();
  const { data } = useQuery(
    trpc.series.progress.queryOptions(kind === "iteration" ? skipToken : { scope, axis: kind }, {
      refetchInterval: 15_000,
    }),
  );
  const axis = useMemo((): ChartAxis => (kind === "iteration" ? iterations : { kind, progress: data }), [kind, data]);
  return <ChartAxisContext value={axis}>{children}</ChartAxisContext>;
}
