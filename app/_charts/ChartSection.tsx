"use client";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { RunRow } from "#server/db/runs.ts";
import { isOver } from "#server/domain/runStatus.ts";
import { chooseMetrics } from "#server/domain/series/openingMetric.ts";
import { errorWords } from "../_trpc/errorWords.ts";
import { useTrpc } from "../_trpc/client.tsx";
import { Notice } from "../_ui/Notice.tsx";
import { Skeleton } from "../_ui/Skeleton.tsx";
import { listPart } from "../_ui/address.ts";
import { useAddress } from "../_ui/useAddress.ts";
import { ChartControls } from "./ChartControls.tsx";
import { ChartRestartsProvider } from "./chartRestarts.tsx";
import { CursorProvider } from "./cursor.tsx";
import { Legend } from "./Legend.tsx";
import { MetricChart } from "./MetricChart.tsx";
import { WholeFigure } from "./WholeFigure.tsx";
import { MetricPicker } from "./MetricPicker.tsx";
import { nameRuns } from "./names.ts";
import { askedOf } from "./overSeeds.ts";
import { prepareLegend, type LegendCell } from "./prepareLegend.ts";
import { useChartSettings } from "./useChartSettings.ts";
import { useLiveCharts, type ChartScope } from "./useLiveCharts.ts";
import { useNewsOfRuns } from "./useNewsOfRuns.ts";

type Props = {
  scope: ChartScope;
  cells: readonly LegendCell[];
  runs: readonly Pick<RunRow, "id" | "cellId" | "seed" | "status">[];
  /** Metrics shown to begin with, as far as there are any values of them; the reader can add others. */
  usual: readonly string[];
  /** What the charts are together, where they are a figure that can be taken away as one. */
  figure?: string;
};

/** Metrics the reader added. */
const addedPart = listPart("metrics");

/** Charts of several metrics with one legend, one cursor and one set of controls, live. */
export function ChartSection({ scope, cells, runs, usual, figure }: Props) {
  const trpc = useTrpc();
  const [settings, setSettings] = useChartSettings();
  const [added, setAdded] = useAddress(addedPart);
  const { data: logged, isPending } = useQuery(trpc.series.keys.queryOptions({ scope }, { refetchInterval: 15_000 }));
  const known = logged ?? [];
  const areOver = runs.every(({ status }) => isOver(status));
  const keys = isPending ? [] : chooseMetrics(usual, known, areOver);
  const shown = [...keys, ...added.filter((key) => !keys.includes(key))];
  const legend = useMemo(() => prepareLegend(cells), [cells]);
  const names = useMemo(() => nameRuns(runs), [runs]);
  const onRuns = useNewsOfRuns(scope);
  const asked = { scope, keys: shown, seeds: settings.seeds, ...askedOf(settings, legend.length) };
  const { charts, error, isLoading, isStale } = useLiveCharts(asked, onRuns);
  return (
    <CursorProvider>
      <ChartRestartsProvider scope={scope} keys={shown}>
        <div className="sticky top-12 z-20 -mx-1 mb-3 space-y-1.5 border-b border-line bg-page px-1 py-2 max-md:static">
          <Legend entries={legend} settings={settings} onChange={setSettings} />
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
            <ChartControls settings={settings} onChange={setSettings} numLines={legend.length} />
            {figure !== undefined && <WholeFigure title={figure} {...{ charts, legend, runs: names, settings }} />}
            <MetricPicker
              label="Add a metric…"
              keys={known.filter((key) => !shown.includes(key))}
              onPick={(key) => setAdded([...added, key])}
            />
          </div>
        </div>
        {error !== null && <Notice tone="bad">{errorWords(error)}</Notice>}
        <div className="grid grid-cols-[repeat(auto-fill,minmax(min(26rem,100%),1fr))] gap-3">
          {(isPending || isLoading) &&
            (isPending ? usual : shown).map((key) => <Skeleton key={key} className="h-72" />)}
          {shown
            .filter((key) => !isLoading && isStale && !charts.some((chart) => chart.key === key))
            .map((key) => (
              <Skeleton key={key} className="h-72" />
            ))}
          {charts.map((chart) => (
            <MetricChart
              key={chart.key}
              chart={chart}
              legend={legend}
              runs={names}
              settings={settings}
              onChange={setSettings}
              onRemove={
                added.includes(chart.key) ? () => setAdded(added.filter((key) => key !== chart.key)) : undefined
              }
            />
          ))}
        </div>
      </ChartRestartsProvider>
    </CursorProvider>
  );
}
