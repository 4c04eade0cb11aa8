"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { chooseMetric } from "#packages/statistics";
import { useTrpc } from "../_trpc/client.tsx";
import { textPart } from "../_ui/address.ts";
import { useAddress } from "../_ui/useAddress.ts";
import { partsOf } from "./chartParts.ts";
import { type NamedRun, nameRuns } from "./names.ts";
import { toHiddenIds, toHiddenNames } from "./hiddenNames.ts";
import { askedOf, type ChartSettings } from "./settings.ts";
import { type LegendCell, prepareLegend } from "./prepareLegend.ts";
import { useChartSettings, useLooks } from "./useLooks.ts";
import { type ChartScope, useLiveCharts, useNewsOfRuns } from "./useLiveCharts.ts";

const metricPart = textPart("metric");

/** Returns the metric in the URL, else the default (undefined until loaded), the choices, and a setter. */
export function useMetric(sweepIds: string[]) {
  const trpc = useTrpc();
  const [asked, setMetric] = useAddress(metricPart);
  const { data: logged, isError } = useQuery(trpc.series.keys.queryOptions({ scope: { sweepIds } }));
  const known = logged ?? (isError ? [] : undefined);
  const metric = asked === "" ? known && (known[0] ?? chooseMetric([])) : asked;
  return { metric, choices: [...new Set([metric ?? [], known ?? []].flat())], setMetric };
}

type Grid = { cells: readonly LegendCell[]; runs: readonly NamedRun[] };

type Drawn = { scope: ChartScope; metric: string; areSeedsDrawn?: boolean };

/**
 * Returns the live chart of one metric, legend and small multiples; `grid`: undefined until loaded. Seeds, which are
 * many in a large sweep, are loaded once they are drawn.
 */
export function useMetricChart({ scope, metric, areSeedsDrawn = false }: Drawn, grid: Grid | undefined) {
  const [named, setNamed] = useChartSettings();
  const { looks } = useLooks(scope, named);
  const legend = useMemo(() => prepareLegend(grid?.cells ?? [], looks), [grid, looks]);
  const settings = useMemo(() => toHiddenIds(named, legend), [named, legend]);
  const onChange = (next: ChartSettings) => setNamed(toHiddenNames(next, legend));
  const parts = useMemo(() => partsOf(looks.facet, legend), [looks.facet, legend]);
  const runs = useMemo(() => nameRuns(grid?.runs ?? []), [grid]);
  const asked = { scope, keys: [metric], seeds: settings.seeds || areSeedsDrawn, ...askedOf(settings) };
  const { charts, error, isStale } = useLiveCharts(asked, useNewsOfRuns(scope));
  return { chart: charts[0], parts, look: { legend, runs, settings, onChange }, error, isStale };
}
