"use client";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { RunDetail } from "#server/db/runs.ts";
import { ChartControls } from "#app/_charts/ChartControls.tsx";
import { CursorProvider } from "#app/_charts/cursor.tsx";
import { groupMetrics } from "#app/_charts/groupMetrics.ts";
import { MetricChart } from "#app/_charts/MetricChart.tsx";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { useChartSettings } from "#app/_charts/useChartSettings.ts";
import { useLiveCharts } from "#app/_charts/useLiveCharts.ts";
import { useNewsOfRuns } from "#app/_charts/useNewsOfRuns.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";

/** Every metric the run has logged, by group. */
export function RunCharts({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  const scope = useMemo(() => ({ runId: run.id }), [run.id]);
  const [settings, setSettings] = useChartSettings();
  // Keys of later phases appear while the run goes on.
  const { data: keys = [] } = useQuery(trpc.series.keys.queryOptions({ scope }, { refetchInterval: 10_000 }));
  const { range } = settings;
  const { charts, error } = useLiveCharts({ scope, keys, seeds: false, range }, useNewsOfRuns(scope));
  const { id, cell, sweep, seed } = run;
  const legend = useMemo(
    () => prepareLegend([{ ...cell, sweepId: sweep.id, sweepName: sweep.name }]),
    [cell, sweep.id, sweep.name],
  );
  const names = useMemo(() => new Map([[id, { runId: id, cellId: cell.id, seed }]]), [id, cell.id, seed]);
  const chartOf = new Map(charts.map((chart) => [chart.key, chart]));
  if (keys.length === 0 && error === null) {
    return <EmptyState title="No metric yet">The first line of the run's log brings the first charts.</EmptyState>;
  }
  return (
    <CursorProvider>
      <div className="mb-3">
        <ChartControls settings={settings} onChange={setSettings} hasSeeds={false} />
      </div>
      {error !== null && <Notice tone="bad">{errorWords(error)}</Notice>}
      {groupMetrics(keys).map((group) => (
        <section key={group.name} aria-label={group.title} className="mb-6">
          <h2 className="mb-2 font-semibold">{group.title}</h2>
          <div className="grid grid-cols-[repeat(auto-fill,minmax(min(20rem,100%),1fr))] gap-3">
            {group.keys.map((key) => {
              const chart = chartOf.get(key);
              if (!chart) return <Skeleton key={key} className="h-56" />;
              return (
                <MetricChart
                  key={key}
                  chart={chart}
                  legend={legend}
                  runs={names}
                  settings={settings}
                  onChange={setSettings}
                  height={160}
                />
              );
            })}
          </div>
        </section>
      ))}
    </CursorProvider>
  );
}
