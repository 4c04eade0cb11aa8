"use client";
import { useQuery } from "@tanstack/react-query";
import { createContext, use, type ReactNode } from "react";
import { useTrpc } from "../_trpc/client.tsx";
import { askBaseline, baselinePart } from "../_ui/baseline.ts";
import { useAddress } from "../_ui/useAddress.ts";
import type { ChartReference } from "./prepareReferences.ts";
import type { ChartScope } from "./useLiveCharts.ts";

const none: readonly ChartReference[] = [];
const ChartReferencesContext = createContext<readonly ChartReference[]>(none);

/** Final values of the page's baselines: the pinned ones, or the one in the address. */
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
