"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { CellField } from "#server/domain/runs/series/cellFields.ts";
import { useTrpc } from "../_trpc/client.tsx";
import { useAddress } from "../_ui/useAddress.ts";
import { type ChartSettings, chooseLooks, parseSettings, writeSettings } from "./settings.ts";
import type { ChartScope } from "./useLiveCharts.ts";

const noFields: readonly CellField[] = [];

/** Returns the fields in which configurations differ, and those encoded by lightness, dashes and small multiples. */
export function useLooks(scope: ChartScope, { shade, dash, facet }: ChartSettings) {
  const { data: fields = noFields } = useQuery(useTrpc().series.fields.queryOptions({ scope }));
  const looks = useMemo(() => chooseLooks(fields, { shade, dash, facet }), [fields, shade, dash, facet]);
  return { fields, looks };
}

const settingsPart = { parse: parseSettings, write: writeSettings, continuous: ["smooth", "ylim"] };

export function useChartSettings(): [ChartSettings, (settings: ChartSettings) => void] {
  return useAddress(settingsPart);
}
