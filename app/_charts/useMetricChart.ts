"use client";
import { useMemo } from "react";
import { partsOf } from "./chartParts.ts";
import { nameRuns, type NamedRun } from "./names.ts";
import { askedOf } from "./overSeeds.ts";
import { prepareLegend, type LegendCell } from "./prepareLegend.ts";
import { useChartSettings } from "./useChartSettings.ts";
import { useLiveCharts, type ChartScope } from "./useLiveCharts.ts";
import { useLooks } from "./useLooks.ts";
import { useNewsOfRuns } from "./useNewsOfRuns.ts";

type Grid = { cells: readonly LegendCell[]; runs: readonly NamedRun[] };

/** One live chart with each seed, its legend, and one part per environment. @param grid undefined until it has loaded */
export function useMetricChart(scope: ChartScope, metric: string, grid: Grid | undefined) {
  const [settings, onChange] = useChartSettings();
  const { looks } = useLooks(scope, settings);
  const legend = useMemo(() => prepareLegend(grid?.cells ?? [], looks), [grid, looks]);
  const parts = useMemo(() => partsOf(looks.facet, legend), [looks.facet, legend]);
  const runs = useMemo(() => nameRuns(grid?.runs ?? []), [grid]);
  const asked = { scope, keys: [metric], seeds: true, ...askedOf(settings) };
  const { charts, error, isStale } = useLiveCharts(asked, useNewsOfRuns(scope));
  return { chart: charts[0], parts, look: { legend, runs, settings, onChange }, error, isStale };
}
