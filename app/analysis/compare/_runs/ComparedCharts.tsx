"use client";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { describeMetric } from "#trainer/spec/metric.ts";
import { ChartReferencesProvider } from "#app/_charts/chartReferences.tsx";
import { ChartRestartsProvider } from "#app/_charts/chartRestarts.tsx";
import { CursorProvider } from "#app/_charts/cursor.tsx";
import { FigureSourceProvider } from "#app/_charts/figureSource.tsx";
import { Legend } from "#app/_charts/Legend.tsx";
import { ChartParts } from "#app/_charts/ChartParts.tsx";
import { BaselineLevel } from "#app/_charts/PageSettings.tsx";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { useMetricChart } from "#app/_charts/useMetricChart.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Busy } from "#app/_ui/Busy.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";

type Props = { runIds: string[]; keys: readonly string[]; metric: string; onMetric: (metric: string) => void };

/** Curves of one metric for the compared runs. */
export function ComparedCharts({ runIds, keys, metric, onMetric }: Props) {
  const trpc = useTrpc();
  const scope = useMemo(() => ({ runIds }), [runIds]);
  const { data: grid } = useQuery(trpc.run.grid.queryOptions(scope));
  const { chart, parts, look, error, isStale } = useMetricChart(scope, metric, grid);
  return (
    <section aria-labelledby="curves">
      <h2 id="curves" className="mb-2 font-semibold">
        Curves
      </h2>
      <div className="mb-3 flex w-64 max-w-full flex-col gap-1">
        <MetricPicker title="Metric" label={describeMetric(metric).title} keys={[...keys]} onPick={onMetric} />
      </div>
      {error !== null && <Notice tone="bad">{errorWords(error)}</Notice>}
      {chart && grid ? (
        <FigureSourceProvider names={grid.cells.map(({ sweepName }) => sweepName)}>
          <CursorProvider>
            <ChartRestartsProvider scope={scope} keys={[metric]}>
              <ChartReferencesProvider scope={scope} keys={[metric]}>
                <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
                  <Legend entries={look.legend} settings={look.settings} onChange={look.onChange} />
                  <BaselineLevel settings={look.settings} onChange={look.onChange} />
                </div>
                <Busy isBusy={isStale}>
                  <ChartParts chart={chart} parts={parts} {...look} height={320} />
                </Busy>
              </ChartReferencesProvider>
            </ChartRestartsProvider>
          </CursorProvider>
        </FigureSourceProvider>
      ) : (
        error === null && <Skeleton className="h-[28rem]" />
      )}
    </section>
  );
}
